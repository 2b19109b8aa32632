# All targets except the build; the Makefile includes this file. A task is a target that "make help" lists, with its text after
# ##. Tasks do not need PGXS, so they work where it is not installed yet.

TASKS := $(shell sed -n 's/^\([a-z-]*\):.* \#\# .*/\1/p' test/tools/tasks.mk)
TASK := $(filter $(TASKS),$(MAKECMDGOALS))

# If Debian's package of the headers is not installed, use the headers that "make demo" has unpacked, without LLVM.
ifeq (,$(wildcard $(SERVER_HEADERS)/postgres.h))
ifneq (,$(wildcard build/unpacked$(SERVER_HEADERS)/postgres.h))
SERVER_HEADERS := build/unpacked$(SERVER_HEADERS)
override with_llvm = no
endif
endif

ifndef TASK

# For the tests: the library with a state that sessions do not share, one that counts and stops at steps, and libraries that
# servers load.
TEST_OBJS = $(patsubst %.cpp,%.o,$(wildcard test/faults/*.cpp))
FAULTS = $(patsubst test/%.o,build/%.so,$(filter-out %/unshared_state.o %/steps.o,$(TEST_OBJS)))
COUNTED = $(filter src/planner/% src/generator/% src/ulid/%,$(OBJS))
STEPS = $(COUNTED:%=build/faults/steps/%)
.PHONY: test-libraries
test-libraries: build/unshared/ids.so build/faults/steps/ids.so $(FAULTS)

build/unshared/ids.so: $(filter-out src/generator/shared_state.o,$(OBJS)) test/faults/unshared_state.o
$(FAULTS): build/faults/%.so: test/faults/%.o
build/faults/steps/ids.so: $(filter-out $(COUNTED),$(OBJS)) $(STEPS) test/faults/steps.o
build/faults/steps/%.o: %.cpp
	mkdir -p $(@D)
	$(COMPILE.cc) -fsanitize-coverage=trace-pc -o $@ $<
build/unshared/ids.so build/faults/steps/ids.so $(FAULTS):
	mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -o $@ $^ $(LDFLAGS)

-include $(wildcard test/faults/*.d) $(STEPS:.o=.d)

else

ifeq (,$(filter help,$(TASK))$(shell nproc 2>/dev/null))
$(error This target needs the tools of GNU, as on Debian; "make" and "make installcheck" do not)
endif

.PHONY: $(TASKS)
MAKEFLAGS += --no-print-directory
PARALLEL = $(MAKE) -j"$$(nproc)"
BUILD = $(FRESH) && $(PARALLEL) -s all WERROR=-Werror
SERVER = test/tools/private.sh server

help: ## show this
	@echo 'make                 build; then "make install" as root, for the PostgreSQL of PG_CONFIG'
	@echo 'make installcheck    run the regression tests on a server where the extension is installed'
	@echo 'make clean           remove what was built'
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/\1 \2/p' test/tools/tasks.mk | while read -r task text; do printf 'make %-16s%s\n' "$$task" "$$text"; done

deps: ## install what is missing for "make check" (on Debian and systems based on it)
	@test/tools/deps.sh

demo: export PATH := $(CURDIR)/build/unpacked/bin:$(PATH)
demo: ## install the few packages it needs, build, show the extension at work on a private server
	@test/tools/deps.sh server pg_virtualenv linked-compiler unpacked-headers faketime
	@$(PARALLEL) -s all WERROR=-Werror
	@$(SERVER) test/tools/demo.sh

check: deps ## install what is missing, build, run all tests on private servers
	@echo 'unit tests'
	@$(PARALLEL) unit
	@$(PARALLEL) fuzz SECONDS=2
	@echo 'models'
	@test/model/run.sh
	@echo 'building'
	@test/tools/build.sh
	@$(BUILD) test-libraries
	@$(MAKE) lint TIDY=
	@echo 'tests that start servers'
	@test/tools/private.sh prove

matrix: ## as root: demo and check on every PostgreSQL, in throw-away chroots; VERSIONS="17 18" for some, musl for Alpine's C library, image for the Dockerfile, debug for assertions and sanitizers; ARCH=s390x emulates; ARCHIVE=ZIP tests that
	@ARCH=$(ARCH) ARCHIVE=$(ARCHIVE) test/tools/matrix.sh $(VERSIONS)

windows: ## build for PostgreSQL on Windows (x64), and test that under Wine; VERSIONS="15 18" for some
	@test/tools/deps.sh server headers wine g++-mingw-w64-x86-64 bison flex dpkg-dev npm zip unzip
	@LANGUAGE="$(LANGUAGE)" SOURCES="$(SOURCES)" RELEASE=$(RELEASE) test/tools/windows.sh $(VERSIONS)

regress: tools ## install what they need, run the regression tests on a private server; REGRESS="ulid sanity" for some
	@$(BUILD)
	@rm -f regression.diffs
	@SETTINGS='autovacuum=off statement_timeout=300000' $(SERVER) $(MAKE) -s installcheck >build/regress.log 2>&1 || failed=1; grep -E '^(test|ok|not ok) ' build/regress.log; \
	  [ -z "$$failed" ] || { if [ -s regression.diffs ]; then cat regression.diffs; else tail -n 40 build/regress.log; fi; exit 1; }

tap: tools ## install what they need, run the tests that start servers; TESTS=test/tap/NAME.pl for one
	@test/tools/deps.sh IPC::Run sqlsmith faketime ent rngtest
	@$(BUILD) test-libraries
	@test/tools/private.sh prove $(TESTS)

# Unit tests: Catch2 2 or 3, without PostgreSQL's headers.

UNIT_OBJS = $(patsubst %.cpp,build/%.o,$(wildcard test/unit/*.cpp))
UNIT_FLAGS = -std=c++20 -O1 -g1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all
CATCH2_LIBS = $(if $(wildcard /usr/include/catch2/catch_all.hpp),-lCatch2Main -lCatch2)

unit: build/test/unit/run ## run the tests that need no PostgreSQL; VECTORS=DIR for other vectors
	@VECTORS="$(or $(VECTORS),test/vectors)" build/test/unit/run

build/test/unit/run: $(UNIT_OBJS)
	@$(CXX) $(UNIT_FLAGS) -o $@ $^ $(CATCH2_LIBS)

# Catch2 itself, compiled without the flags for the tests.
build/test/unit/main.o: UNIT_FLAGS = -std=c++20

build/test/unit/%.o: test/unit/%.cpp | unit-deps
	@mkdir -p $(@D)
	@$(CXX) $(UNIT_FLAGS) -Isrc -MMD -MP -c -o $@ $<

-include $(UNIT_OBJS:.o=.d)

model: ## check large configurations of the models: ten minutes, 6 GB of memory
	@test/tools/deps.sh g++ spin
	@test/model/run.sh full

# Fuzzing: libFuzzer, without PostgreSQL's headers. The inputs that it finds are kept for the next run.

FUZZ = $(patsubst test/fuzz/%.cpp,%,$(wildcard test/fuzz/*.cpp))
FUZZ_FLAGS = -std=c++20 -O1 -g -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all

fuzz: $(FUZZ:%=build/fuzz/%/run) build/fuzz/seeds ## fuzz every parser for a minute; SECONDS=N for another time, FUZZ=NAME for one
	@printf '%s\n' $(FUZZ) | xargs -P "$$(nproc)" -I TARGET sh -c 'echo "fuzzing TARGET"; cd build/fuzz/TARGET && mkdir -p found && \
	  ./run -max_len=64 -max_total_time=$(or $(SECONDS),60) -print_final_stats=1 found ../seeds/TARGET >log 2>&1 || { tail -n 40 log; exit 1; }'

build/fuzz/%/run: test/fuzz/%.cpp | fuzz-deps
	@mkdir -p $(@D)
	@clang++ $(FUZZ_FLAGS) -Isrc -MMD -MP -MF $@.d -MT $@ -o $@ $<

build/fuzz/seeds: test/fuzz/seeds.pl $(wildcard test/fuzz/*.cpp test/vectors/*.tsv)
	@rm -rf $@ && mkdir -p $@
	@perl $< $@

-include $(FUZZ:%=build/fuzz/%/run.d)

.PHONY: tools unit-deps fuzz-deps
# The headers are only unpacked, as for the demo: those of Debian's package need LLVM, hundreds of megabytes.
tools:
	@test/tools/deps.sh server pg_virtualenv g++ unpacked-headers
unit-deps:
	@test/tools/deps.sh g++ catch2
fuzz-deps:
	@test/tools/deps.sh clang++ libFuzzer

bench: ## measure against the built-in types, write doc/benchmarks.md and its pictures; BENCH_ROWS=N scales it
	@test/tools/deps.sh server headers pg_virtualenv g++ catch2 gnuplot
	@$(BUILD)
	@mkdir -p build/test/bench
	@$(CXX) -std=c++20 -O2 -Isrc -o build/test/bench/codecs test/bench/codecs.cpp $(CATCH2_LIBS)
	@build/test/bench/codecs
	@SETTINGS='shared_buffers=4GB max_wal_size=8GB autovacuum=off' $(SERVER) test/bench/bench.sh

mutants: deps ## does a test notice if a line of src is wrong? SEED=1 MUTANTS=400 FOLDERS="generator planner" choose lines; takes hours
	@SEED=$(or $(SEED),1) MUTANTS=$(or $(MUTANTS),400) FOLDERS="$(FOLDERS)" perl test/tools/mutants.pl

# Clients: the packages that this release of Debian has; Node's packages from npm, in build.
CLIENT_PACKAGES = $(sort $(shell CLIENTS="$(CLIENTS)" test/clients/run.sh packages))

check-clients: tools ## install what is missing, run clients in many languages (doc/clients.md); CLIENTS="pgx rails" for some
	@OPTIONAL="$(filter-out npm:% elixir:% java:%,$(CLIENT_PACKAGES))" test/tools/deps.sh
	@$(BUILD)
	@mkdir -p build/test/clients
	@$(if $(filter npm:%,$(CLIENT_PACKAGES)),cd build/test/clients && cp ../../../test/clients/package*.json . && \
	  npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >/dev/null || echo 'npm has failed')
	@CLIENTS="$(CLIENTS)" $(SERVER) test/clients/run.sh

# Other software: the packages that this release of Debian has; run.sh also tries software that is installed otherwise.
SERVER_PACKAGES = procps pgbouncer pgpool2 patroni etcd-server python3-etcd $(patsubst %,postgresql-$(MAJOR)-%,cron partman pglogical repack squeeze wal2json)

check-servers: tools ## install what is missing, try pg_cron, pgbouncer, Patroni and others (doc/servers.md); ENGINES="citus patroni" for some
	@OPTIONAL="$(SERVER_PACKAGES)" test/tools/deps.sh faketime
	@$(BUILD)
	@ENGINES="$(ENGINES)" $(SERVER) test/servers/run.sh

# The library does not need the C++ runtime: it uses none of its symbols, and runs nothing at load or exit.
lint: ## check the library, the layout of the sources, the install script and the versions; TIDY= without clang-tidy
	@test/tools/deps.sh clang++
	@perl test/tools/release.pl
	@$(BUILD) test-libraries
	@echo 'checking the library and the sources'
	@! nm -D --undefined-only ids.so build/unshared/ids.so | c++filt | grep -E ' U (_Z|std::|ids::|__cxa|__gxx|_Unwind|operator )|GLIBCXX'
	@printf '%s\n' $(SOURCES) | xargs -P "$$(nproc)" -I FILE \
	  clang++ $(LANGUAGE) $(INCLUDE) -Werror -Wglobal-constructors -Wexit-time-destructors -fsyntax-only FILE
	@perl test/tools/layers.pl
	@for file in $(TYPES:%=test/unit/%_test.cpp) $(TYPES:%=sql/%.sql) $(TEXTS:%=test/fuzz/%.cpp); do \
	  [ -f $$file ] || { echo "$$file is missing"; exit 1; }; \
	done
	@for type in $(TEXTS); do grep -q "\"$$type/$$type.hpp\"" test/bench/codecs.cpp || { echo "test/bench/codecs.cpp has no $$type"; exit 1; }; done
	@perl test/tools/names.pl
	@perl -Mopen=:std,:utf8 -ne 'if (/^.{121}/) { print "$$ARGV:$$.: wider than 120 columns\n"; $$wide = 1 } close ARGV if eof; END { exit !!$$wide }' \
	  $(REGRESS:%=sql/%.sql) test/regress/*.psql
	@if command -v clang-format >/dev/null; then clang-format --dry-run -Werror $(FORMATTED); fi
	@if command -v "$(TIDY)" >/dev/null; then \
	  echo '$(TIDY)'; \
	  $(call tidy,$(SOURCES) $(wildcard test/faults/*.cpp),$(LANGUAGE) $(INCLUDE)) && \
	  $(call tidy,$(wildcard test/unit/*_test.cpp test/fuzz/*.cpp test/bench/*.cpp),-std=c++20 -Isrc); \
	fi

# The types with a text of their own.
TEXTS = $(patsubst src/%/,%,$(dir $(shell grep -lx -e '--@ io' src/*/*.sql)))

# It takes minutes, so "make check" leaves it out.
TIDY = clang-tidy
tidy = printf '%s\n' $1 | xargs -P "$$(nproc)" -I FILE $(TIDY) --quiet FILE -- $2 2>build/tidy.log || { grep -v 'warnings generated' build/tidy.log; false; }

FORMATTED = $(wildcard src/*.cpp src/*/*.?pp test/unit/*.?pp test/fuzz/*.?pp test/faults/*.cpp test/bench/*.cpp test/clients/*.cpp)
format: ## lay out the sources
	@clang-format -i $(FORMATTED)

# The install script.
FRESH = TYPES='$(TYPES)' test/tools/install_script.sh check

sql: ## assemble the install script from src
	@TYPES='$(TYPES)' test/tools/install_script.sh write

# Packages.

MAJOR = $(shell $(PG_CONFIG) --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
DIST = $(EXTENSION)-$(RELEASE)
SUITE = $(shell . /etc/os-release && echo $$VERSION_CODENAME)

# Debian's is built from a copy: building it leaves files behind, and PGXS cannot stage where the path has a space.
deb: tools ## make the Debian package build/postgresql-N-ids_*.deb for the PostgreSQL of PG_CONFIG
	@test/tools/deps.sh build-essential debhelper postgresql-all
	@mkdir -p build && rm -f build/*.deb
	@copy=$$(mktemp -d) && trap 'rm -rf "$$copy"' EXIT && chmod 755 "$$copy" && mkdir "$$copy/ids" && \
	  tar --exclude=./.git --exclude=./build -cf - . | tar --no-same-owner -C "$$copy/ids" -xf - && \
	  (cd "$$copy/ids" && export PG_SUPPORTED_VERSIONS=$(MAJOR) && pg_buildext updatecontrol && dpkg-buildpackage -b -us -uc) && \
	  mv "$$copy"/postgresql-$(MAJOR)-ids_*.deb build && ls build/*.deb

dist: ## make the PGXN archive build/ids-*.zip from the last commit
	@[ -e .git ] || { echo 'The archive is made from a git clone.' >&2; exit 1; }
	@test/tools/deps.sh unzip
	@rm -rf build/dist build/*.zip && mkdir -p build/dist
	@git archive --prefix=$(DIST)/ --output=build/dist/$(DIST).zip HEAD
	@cd build/dist && unzip -q $(DIST).zip && cd $(DIST) && perl test/tools/release.pl && cmp META.json ../../../META.json
	@mv build/dist/$(DIST).zip build && ls build/*.zip

release-ready: lint dist ## can this commit be released? checks versions, dates, texts, digests of scripts, and the PGXN archive, which it makes
	@$(MAKE) -s -C build/dist/$(DIST) all WERROR=-Werror
	@perl test/tools/release.pl build/$(DIST).zip

check-packages: deb dist ## as root: make both packages, install each in a bare chroot, run the regression tests there
	@test/tools/chroot.sh $(SUITE) '$(call install,./build/postgresql-$(MAJOR)-ids_*.deb) && debian/tests/installcheck'
	@test/tools/chroot.sh $(SUITE) '$(call install,pgxnclient g++ postgresql-server-dev-$(MAJOR) postgresql-$(MAJOR)) && \
	  pgxn install ./build/$(DIST).zip && pg_virtualenv -v $(MAJOR) pgxn check ./build/$(DIST).zip'

# In the chroot. A package may need the security updates of the PostgreSQL that it was built with.
install = sed -i "/debian $(SUITE) /{ p; s,,debian-security $(SUITE)-security ,; }" /etc/apt/sources.list && apt-get -qq update && \
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends $1

endif

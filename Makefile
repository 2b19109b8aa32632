# ids: time-ordered identifiers for PostgreSQL. "make help" lists what there is to make.

TYPES := ulid scru160 tbsl snowflake uuidv7 codokey

EXTENSION = ids
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" ids.control)
RELEASE := $(shell sed -n 's/^  "version": "\(.*\)",/\1/p' META.json)
DATA = sql/$(EXTENSION)--$(EXTVERSION).sql
SOURCES = src/ids.cpp $(wildcard src/pg/*.cpp) $(foreach T,$(TYPES),src/$T/$T.cpp)
PG_CONFIG ?= pg_config
LANGUAGE = -std=c++20 -fno-exceptions -fno-rtti -fvisibility=hidden -Wall -Wextra -Wno-unknown-warning-option
# Each generator has a struct of this name and needs a slot in shared memory.
GENERATORS := $(shell cat $(SOURCES) | grep -c '^struct [A-Za-z]*Spec ')
# The server's, where its package of headers is installed; else those that "make demo" has unpacked, without LLVM.
SERVER_HEADERS := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)
SERVER_HEADERS := $(patsubst %/postgres.h,%,$(firstword $(wildcard $(SERVER_HEADERS)/postgres.h build/unpacked$(SERVER_HEADERS)/postgres.h)))
ifneq (,$(filter build/unpacked/%,$(SERVER_HEADERS)))
override with_llvm = no
endif
INCLUDE = -Isrc -isystem $(SERVER_HEADERS) -DIDS_VERSION='"$(RELEASE)"' -DIDS_GENERATORS=$(GENERATORS)

# Targets that do without PGXS: they work where it is not installed yet.
TASKS := help demo check matrix deps unit fuzz tap sqlsmith torture bench check-clients check-servers lint format sql deb check-deb dist check-dist

ifeq (,$(filter $(TASKS),$(MAKECMDGOALS)))

# The extension, by PGXS: all, install, installcheck, clean and their kin.

MODULE_big = $(EXTENSION)
OBJS = $(SOURCES:.cpp=.o)
REGRESS = $(patsubst sql/%.sql,%,$(filter-out $(DATA),$(sort $(wildcard sql/*.sql))))
REGRESS_OPTS = --load-extension=$(EXTENSION)
EXTRA_CLEAN = build log src/*/*.d src/*.d test/tap/*.[od]

PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq (,$(and $(SERVER_HEADERS),$(wildcard $(PGXS))))
$(error The PostgreSQL server headers are missing: "make deps" installs them on Debian; else set PG_CONFIG)
endif
PG_CPPFLAGS = $(INCLUDE)
PG_CXXFLAGS = $(LANGUAGE) $(WERROR) -MMD -MP
include $(PGXS)
# The rule for JIT's bitcode does not see PG_CXXFLAGS.
BITCODE_CXXFLAGS += $(LANGUAGE) $(WERROR)
-include $(OBJS:.o=.d) $(wildcard test/tap/*.d)
# The module has the version of the release, and checks the number of generators.
src/ids.o src/ids.bc: META.json $(SOURCES)

# Objects built for another PostgreSQL are of no use.
build/for-$(VERSION)$(with_llvm):
	@mkdir -p build && rm -f build/for-* && touch $@
$(OBJS) $(OBJS:.o=.bc) test/tap/unshared_state.o test/tap/bad_neighbour.o: build/for-$(VERSION)$(with_llvm)

# For the tests: the library with a state that sessions do not share.
build/unshared/ids.so: $(filter-out src/pg/shared_state.o,$(OBJS)) test/tap/unshared_state.o
	mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -o $@ $^ $(LDFLAGS)

# And libraries that make trouble for the server.
build/faults/%.so: test/tap/%.o
	mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -o $@ $^ $(LDFLAGS)

else

.PHONY: $(TASKS)
MAKEFLAGS += --no-print-directory
BUILD = $(MAKE) -s all build/unshared/ids.so $(FAULTS) WERROR=-Werror
FAULTS = build/faults/bad_neighbour.so build/faults/no_randomness.so

help:
	@echo 'make               build; then "make install" as root, for the PostgreSQL of PG_CONFIG'
	@echo 'make demo          install the few packages it needs, build, show the extension at work on a private server'
	@echo 'make check         install what is missing, build, run all tests on private servers'
	@echo 'make matrix        as root: demo and check on every PostgreSQL, in throw-away chroots; VERSIONS="17 18" for some'
	@echo 'make check-clients install what is missing, run clients in seven languages against a private server; CLIENTS="pgx rails" for some'
	@echo 'make check-servers install what is missing, try pg_cron, pgbouncer, pg_repack and others (doc/servers.md)'
	@echo 'make deps          install what is missing for these (Debian and its kin)'
	@echo 'make unit          run the tests that need no PostgreSQL; VECTORS=DIR for other vectors'
	@echo 'make fuzz          fuzz every parser for a minute; SECONDS=N for another time, FUZZ=NAME for one'
	@echo 'make tap           run the tests that start servers; TESTS=test/tap/NAME.pl for one'
	@echo 'make sqlsmith      run random queries over all types and functions for ten minutes; SECONDS=N'
	@echo 'make bench         measure against the built-in types and write doc/benchmarks.md; BENCH_ROWS=N scales it'
	@echo 'make torture       kill 100 backends of a server while clients insert a million rows'
	@echo 'make installcheck  run the regression tests on a server where the extension is installed'
	@echo 'make lint          check the library, the layout of the sources, the install script and the versions; clang-tidy'
	@echo 'make format        lay out the sources'
	@echo 'make sql           assemble $(DATA) from src'
	@echo 'make deb           make the Debian package build/postgresql-N-ids_*.deb for the PostgreSQL of PG_CONFIG'
	@echo 'make check-deb     install it in a bare chroot, as root, and run the regression tests there'
	@echo 'make dist          make the PGXN archive build/$(DIST).zip of what is committed'
	@echo 'make check-dist    install it in a bare chroot, as root, and run the regression tests there'
	@echo 'make clean         remove what was built'

deps:
	@test/deps.sh

demo:
	@test/deps.sh --demo
	@$(MAKE) -s -j"$$(nproc)" all WERROR=-Werror
	@test/private.sh server test/demo.sh

check: deps
	@echo 'unit tests'
	@$(MAKE) unit
	@$(MAKE) fuzz SECONDS=5
	@echo 'building'
	@$(BUILD)
	@$(MAKE) lint TIDY=
	@echo 'regression tests'
	@test/private.sh server $(MAKE) -s installcheck || { cat regression.diffs; exit 1; }
	@echo 'tests that start servers'
	@test/private.sh prove

matrix:
	@test/matrix.sh $(VERSIONS)

tap: deps
	@$(BUILD)
	@test/private.sh prove $(TESTS)

sqlsmith: SECONDS = 600
sqlsmith:
	@SECONDS=$(SECONDS) $(MAKE) tap TESTS=test/tap/sqlsmith.pl

torture: deps
	@$(BUILD)
	@KILLS=100 ROWS=1000000 test/private.sh prove -v test/tap/torture.pl

# Unit tests: Catch2 2 or 3, no header of PostgreSQL in reach.

UNIT_OBJS = $(patsubst %.cpp,build/%.o,$(wildcard test/unit/*.cpp))
UNIT_FLAGS = -std=c++20 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all
CATCH2_LIBS = $(if $(wildcard /usr/include/catch2/catch_all.hpp),-lCatch2Main -lCatch2)

unit: build/test/unit/run
	@VECTORS="$(or $(VECTORS),test/vectors)" build/test/unit/run

build/test/unit/run: $(UNIT_OBJS)
	@$(CXX) $(UNIT_FLAGS) -o $@ $^ $(CATCH2_LIBS)

# Catch2 itself, compiled without what is meant for the tests.
build/test/unit/main.o: UNIT_FLAGS = -std=c++20

build/test/unit/%.o: test/unit/%.cpp | deps
	@mkdir -p $(@D)
	@$(CXX) $(UNIT_FLAGS) -Isrc -MMD -MP -c -o $@ $<

-include $(UNIT_OBJS:.o=.d)

bench: deps
	@command -v gnuplot >/dev/null || test/deps.sh gnuplot-nox
	@$(BUILD)
	@mkdir -p build/test/bench
	@$(CXX) -std=c++20 -O2 -Isrc -o build/test/bench/codecs test/bench/codecs.cpp $(CATCH2_LIBS)
	@build/test/bench/codecs
	@SETTINGS='shared_buffers=1GB max_wal_size=8GB autovacuum=off' test/private.sh server test/bench/bench.sh

# Clients: Debian's packages, those that there are; Node's from npm, into build. CLIENTS="rails pgx" runs only these.

check-clients: CLIENT_PACKAGES = $(sort $(shell CLIENTS="$(CLIENTS)" test/clients/run.sh packages))
check-clients:
	@OPTIONAL="$(filter-out npm:%,$(CLIENT_PACKAGES))" test/deps.sh
	@$(BUILD)
	@mkdir -p build/test/clients
	@$(if $(filter npm:%,$(CLIENT_PACKAGES)),cd build/test/clients && cp ../../../test/clients/package*.json . && \
	  npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >/dev/null || echo 'npm has failed')
	@CLIENTS="$(CLIENTS)" test/private.sh server test/clients/run.sh

# What Debian packages beside PostgreSQL.

SERVER_PACKAGES = $(shell for package in pgbouncer $(patsubst %,postgresql-$(MAJOR)-%,cron partman pglogical repack wal2json); do \
  dpkg -s $$package >/dev/null 2>&1 || echo $$package; done)

check-servers:
	@test/deps.sh $(SERVER_PACKAGES)
	@$(BUILD)
	@SETTINGS='shared_preload_libraries=pg_cron,pglogical cron.database_name=cron cron.use_background_workers=on wal_level=logical max_worker_processes=40' \
	  test/private.sh server test/servers/run.sh

# Fuzzing: libFuzzer, no header of PostgreSQL in reach. What it finds is kept for the next run.

FUZZ = $(patsubst test/fuzz/%.cpp,%,$(wildcard test/fuzz/*.cpp))
FUZZ_FLAGS = -std=c++20 -O1 -g -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
fuzz: SECONDS = 60

fuzz: $(FUZZ:%=build/fuzz/%/run) build/fuzz/seeds
	@for target in $(FUZZ); do \
	  echo "fuzzing $$target"; \
	  cd build/fuzz/$$target && mkdir -p found ../seeds/$$target && \
	  ./run -max_len=64 -max_total_time=$(SECONDS) -print_final_stats=1 found ../seeds/$$target >log 2>&1 || { tail -n 40 log; exit 1; }; \
	  cd ../../..; \
	done

build/fuzz/%/run: test/fuzz/%.cpp | deps
	@mkdir -p $(@D)
	@clang++ $(FUZZ_FLAGS) -Isrc -MMD -MP -MF $@.d -MT $@ -o $@ $<

build/fuzz/seeds: test/fuzz/seeds.pl $(wildcard test/vectors/*.tsv)
	@rm -rf $@ && mkdir -p $@
	@perl $< test/vectors $@

-include $(FUZZ:%=build/fuzz/%/run.d)

# The C++ runtime stays out of the server: no symbol of it is needed, nothing runs at load or exit.
lint:
	@$(BUILD)
	@echo 'checking the library, the sources, $(DATA) and META.json'
	@! nm -D --undefined-only ids.so build/unshared/ids.so | c++filt | grep -E ' U (_Z|std::|ids::|__cxa|__gxx|_Unwind|operator )|GLIBCXX'
	@for source in $(SOURCES); do \
	  clang++ $(LANGUAGE) $(INCLUDE) -Werror -Wglobal-constructors -Wexit-time-destructors -fsyntax-only $$source || exit 1; \
	done
	@$(SQL_SCRIPT) | diff -u $(DATA) - || { echo '$(DATA) is stale: run "make sql"'; exit 1; }
	@perl test/release.pl
	@if command -v clang-format >/dev/null; then clang-format --dry-run -Werror $(FORMATTED); fi
	@if command -v "$(TIDY)" >/dev/null; then \
	  echo '$(TIDY)'; \
	  $(call tidy,$(SOURCES) $(wildcard test/tap/*.cpp),$(LANGUAGE) $(INCLUDE)) && \
	  $(call tidy,$(wildcard test/unit/*_test.cpp test/fuzz/*.cpp test/bench/*.cpp),-std=c++20 -Isrc); \
	fi

# Takes minutes, so that "make check" does without.
TIDY = clang-tidy
tidy = printf '%s\n' $1 | xargs -P "$$(nproc)" -I FILE $(TIDY) --quiet FILE -- $2 2>build/tidy.log || { grep -v 'warnings generated' build/tidy.log; false; }

FORMATTED = $(wildcard src/*.cpp src/*/*.?pp test/unit/*.?pp test/fuzz/*.?pp test/tap/*.cpp test/bench/*.cpp)
format:
	clang-format -i $(FORMATTED)

# The install script: each type's own SQL with the blocks that all types share at their marker lines.
SQL_SCRIPT = { \
  printf '%s\n' '\echo Use "CREATE EXTENSION $(EXTENSION)" to load this file. \quit'; \
  echo; cat src/install/common.sql; \
  for type in $(TYPES); do \
    echo; \
    sed -e '/^--@ io$$/ { r src/install/io.sql.in' -e 'd }' \
        -e '/^--@ type$$/ { r src/install/type.sql.in' -e 'd }' src/$$type/$$type.sql | sed "s/@T@/$$type/g"; \
  done; \
  echo; cat src/install/partitions.sql; \
  echo; cat src/install/names.sql; \
}

sql:
	$(SQL_SCRIPT) > $(DATA)

# Packages.

MAJOR = $(shell $(PG_CONFIG) --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
DIST = $(EXTENSION)-$(RELEASE)
SUITE = $(shell . /etc/os-release && echo $$VERSION_CODENAME)

# Debian's is built from a copy: building it leaves files behind, and PGXS cannot stage where the path has a space.
deb: deps
	@dpkg-checkbuilddeps -d 'debhelper, postgresql-all' /dev/null 2>/dev/null || test/deps.sh build-essential debhelper postgresql-all
	@mkdir -p build && rm -f build/*.deb
	@copy=$$(mktemp -d) && trap 'rm -rf "$$copy"' EXIT && chmod 755 "$$copy" && mkdir "$$copy/ids" && \
	  tar --exclude=./.git --exclude=./build -cf - . | tar --no-same-owner -C "$$copy/ids" -xf - && \
	  (cd "$$copy/ids" && export PG_SUPPORTED_VERSIONS=$(MAJOR) && pg_buildext updatecontrol && dpkg-buildpackage -b -us -uc) && \
	  mv "$$copy"/postgresql-$(MAJOR)-ids_*.deb build && ls build/*.deb

dist:
	@command -v unzip >/dev/null || test/deps.sh unzip
	@rm -rf build/dist build/*.zip && mkdir -p build/dist
	@git archive --prefix=$(DIST)/ --output=build/dist/$(DIST).zip HEAD
	@cd build/dist && unzip -q $(DIST).zip && cd $(DIST) && perl test/release.pl && cmp META.json ../../../META.json
	@mv build/dist/$(DIST).zip build && ls build/*.zip

check-deb: deb
	@test/chroot.sh $(SUITE) '$(call install,./build/postgresql-$(MAJOR)-ids_*.deb) && debian/tests/installcheck'

check-dist: dist
	@test/chroot.sh $(SUITE) '$(call install,pgxnclient g++ postgresql-server-dev-$(MAJOR) postgresql-$(MAJOR)) && \
	  pgxn install ./build/$(DIST).zip && pg_virtualenv -v $(MAJOR) pgxn check ./build/$(DIST).zip'

# In the chroot. A package may need the security updates of the PostgreSQL that it was built with.
install = sed -i "/debian $(SUITE) /{ p; s,,debian-security $(SUITE)-security ,; }" /etc/apt/sources.list && apt-get -qq update && \
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends $1

endif

# ids: time-ordered identifiers for PostgreSQL. "make help" lists the targets. All except the build are in
# test/tools/tasks.mk.

TYPES = ulid scru160 tbsl snowflake uuidv7 codokey

ROOMS = pg generator planner type partitions

EXTENSION = ids
MODULE_big = ids
SOURCES = src/ids.cpp $(wildcard $(ROOMS:%=src/%/*.cpp)) $(foreach T,$(TYPES),src/$T/$T.cpp)
OBJS = $(SOURCES:.cpp=.o)
DATA = $(wildcard sql/ids--*.sql)
REGRESS = $(patsubst sql/%.sql,%,$(filter-out $(DATA),$(sort $(wildcard sql/*.sql))))
REGRESS_OPTS = --load-extension=ids
EXTRA_CLEAN = build log src/*.d src/*/*.d test/faults/*.[od]

RELEASE := $(shell sed -n 's/^  "version": "\(.*\)",/\1/p' META.json)
LANGUAGE = -std=c++20 -fno-exceptions -fno-rtti -fvisibility=hidden -Wall -Wextra -Wno-unknown-warning-option
INCLUDE = -Isrc -isystem $(SERVER_HEADERS) -DIDS_VERSION='"$(RELEASE)"'
PG_CPPFLAGS = $(INCLUDE)
PG_CXXFLAGS = $(LANGUAGE) $(WERROR) -MMD -MP

PG_CONFIG ?= pg_config
SERVER_HEADERS := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)
.DEFAULT_GOAL = all
include test/tools/tasks.mk

ifndef TASK
PGXS := $(shell $(PG_CONFIG) --pgxs)
# The targets installcheck and clean need no headers: a package's tests run them.
ifeq (,$(and $(or $(filter installcheck clean,$(MAKECMDGOALS)),$(wildcard $(SERVER_HEADERS)/postgres.h)),$(wildcard $(PGXS))))
$(error The PostgreSQL server headers are missing: install postgresql-server-dev-N, or set PG_CONFIG; "make deps" installs all that the tests need)
endif
include $(PGXS)
# With several versions of PostgreSQL, pg_config is that of the newest.
ifeq (0,$(MAKELEVEL))
$(info For $(shell $(PG_CONFIG) --version), by PG_CONFIG=$(shell command -v $(PG_CONFIG)))
endif
# The rule for JIT's bitcode does not see PG_CXXFLAGS.
BITCODE_CXXFLAGS += $(LANGUAGE) $(WERROR)
INSTALL := sh test/tools/replace.sh $(INSTALL)
# Without LLVM, what is left of an earlier build with LLVM: JIT may run that in place of this library.
ifneq (yes,$(with_llvm))
.PHONY: remove-bitcode
install uninstall: remove-bitcode
remove-bitcode:
	rm -rf '$(DESTDIR)$(pkglibdir)/bitcode/$(MODULE_big)' '$(DESTDIR)$(pkglibdir)/bitcode/$(MODULE_big).index.bc'
endif

# The pages in a folder of their own, where links between pages hold: PGXS's DOCS would lay them flat, beside those of other extensions.
PAGES = $(DESTDIR)$(docdir)/ids
.PHONY: install-pages uninstall-pages
install: install-pages
uninstall: uninstall-pages
install-pages:
	$(MKDIR_P) '$(PAGES)/doc'
	$(INSTALL_DATA) README.md SECURITY.md '$(PAGES)'
	$(INSTALL_DATA) doc/* '$(PAGES)/doc'
uninstall-pages:
	rm -rf '$(PAGES)'

-include $(OBJS:.o=.d)
# Bitcode and the object follow the same headers.
$(OBJS:.o=.bc): %.bc: %.o
# The module has the version of the release.
src/ids.o: META.json
# Objects built for another PostgreSQL are of no use. PGXS's .SECONDARY lets make pass over a file that is missing, unless it is phony.
BUILT_FOR := build/for-$(firstword $(shell $(PG_CONFIG) | cksum))
$(BUILT_FOR):
	@mkdir -p build && rm -f build/for-* && touch $@
.PHONY: $(if $(wildcard $(BUILT_FOR)),,$(BUILT_FOR))
$(OBJS) $(TEST_OBJS) $(STEPS): $(BUILT_FOR)
endif

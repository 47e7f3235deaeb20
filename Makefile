# SPDX-License-Identifier: GPL-2.0-or-later
#
#   make                 the programs, in build/
#   make check [T=name]  all tests (those whose name contains T)
#   make bench           the project's figures, as ratios
#   make fuzz [SECONDS=n] [SEED=n]  random definitions and profiles through render and revert
#   make mutate [SECONDS=n] [FILES=...]  which break of a rule does no test notice? See tests/mutation
#   make lint            include rules, linters
#   make check-lab [T=name]  the scenarios on an emulated host, see tests/lab/run; also lab, lab-shell
#   make install         DESTDIR=, prefix=, sysconfdir= as usual; `make uninstall` takes it back
#
# Variants have build trees of their own: SAN=1 (ASan and UBSan), COV=1 (gcov). WERROR=1 for CI.

VERSION := 0.1.0

prefix     ?= /usr
sysconfdir ?= /etc
bindir     ?= $(prefix)/bin
sbindir    ?= $(prefix)/sbin
datadir    ?= $(prefix)/share
unitdir    ?= $(prefix)/lib/systemd/system

variant := $(if $(SAN),-san)$(if $(COV),-cov)
BUILD   ?= build$(variant)

CFLAGS ?= -O2 -g
warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wundef \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wconversion -Wno-sign-conversion \
	-Wnull-dereference -Wimplicit-fallthrough $(if $(WERROR),-Werror)
comma := ,
san_flags := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer) $(if $(COV),--coverage)

# Which libraries a layer may use is part of the architecture: see tests/lint.
core_pkgs := libxml-2.0
# And of libsystemd the declarations: see src/sys/sdbus.h.
sys_pkgs  := libpci
virt_pkgs := libvirt
cli_pkgs  := json-c
watch_pkgs := libsystemd
test_pkgs := cmocka
pkgs := $(core_pkgs) $(sys_pkgs) $(virt_pkgs) $(cli_pkgs) $(watch_pkgs)

ifneq ($(filter-out clean uninstall lab check-lab lab-shell,$(or $(MAKECMDGOALS),all)),)
missing := $(strip $(foreach p,$(pkgs),$(shell pkg-config --exists $(p) 2>/dev/null || echo $(p))))
ifneq ($(missing),)
$(error pkg-config does not find: $(missing). ./install.sh installs what is needed, or names it)
endif
endif

fit_cflags := -std=gnu17 -Isrc -Itests/unit -D_GNU_SOURCE -DFIT_VERSION='"$(VERSION)"' \
	-DFIT_DATADIR='"$(datadir)/virt-fit"' -DFIT_ENGINE='"$(sbindir)/virt-fit-hook"' \
	$(warnings) -fstack-protector-strong -fPIE $(san_flags) -MMD -MP
# One by one: the programs are built also where the tests' packages are missing.
pkg_cflags := $(sort $(foreach p,$(pkgs) $(test_pkgs),$(shell pkg-config --cflags $(p) 2>/dev/null)))
libs = $(shell pkg-config --libs $(1))
fit_ldflags := -pie -Wl,--as-needed -Wl,-z,relro $(san_flags)

layers := base core sys virt fitting watch cli
layer_sources = $(sort $(wildcard src/$(1)/*.c))
archives := $(layers:%=$(BUILD)/libfit-%.a)
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))

programs := $(BUILD)/virt-fit $(BUILD)/virt-fit-hook $(BUILD)/qemu-gate

.PHONY: all
all: $(programs)

define archive
$(BUILD)/libfit-$(1).a: $$(call objects,$$(call layer_sources,$(1)))
	$$(AR) rcsD $$@.new $$^ && mv $$@.new $$@
endef
$(foreach l,$(layers),$(eval $(call archive,$(l))))

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(fit_cflags) $(pkg_cflags) $(CFLAGS) -c -o $@ $<

link = $(CC) $(fit_ldflags) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^)

$(BUILD)/virt-fit: $(call objects,$(sort $(wildcard src/cli/*.c))) \
		$(BUILD)/libfit-watch.a $(BUILD)/libfit-fitting.a $(BUILD)/libfit-virt.a $(BUILD)/libfit-sys.a $(BUILD)/libfit-core.a $(BUILD)/libfit-base.a
	$(link) $(call libs,$(virt_pkgs) $(sys_pkgs) $(core_pkgs) $(cli_pkgs) $(watch_pkgs)) -pthread

$(BUILD)/virt-fit-hook: $(call objects,$(sort $(wildcard hook/engine*.c))) \
		$(BUILD)/libfit-sys.a $(BUILD)/libfit-core.a $(BUILD)/libfit-base.a
	$(link) $(call libs,$(sys_pkgs) $(core_pkgs))

# libc only: it runs for every hook call of every domain.
$(BUILD)/qemu-gate: $(call objects,hook/gate.c)
	$(link)

# The cli's archive is for tests only: a linker takes a main() from it when there is no other.
# Tests: a program for each tests/unit/*.c, tools in tests/lib, programs in tests/bench.
unit_tests  := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/unit/test_*.c)))
test_tools  := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/lib/*.c)))
bench_tools := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/bench/*.c)))
fuzzer      := $(BUILD)/tests/fuzz/fuzz
unit_support := $(call objects,$(sort $(wildcard tests/unit/support*.c)))

$(unit_tests): $(BUILD)/%: $(BUILD)/%.o $(unit_support) \
		$(BUILD)/libfit-cli.a $(BUILD)/libfit-watch.a $(BUILD)/libfit-fitting.a $(BUILD)/libfit-virt.a $(BUILD)/libfit-sys.a \
		$(BUILD)/libfit-core.a $(BUILD)/libfit-base.a
	$(link) $(call libs,$(test_pkgs) $(virt_pkgs) $(sys_pkgs) $(core_pkgs) $(cli_pkgs) $(watch_pkgs)) -pthread

$(BUILD)/tests/lib/mkroot: $(BUILD)/tests/unit/support_tree.o
$(BUILD)/tests/bench/follow: $(BUILD)/src/watch/follower.o $(BUILD)/src/watch/restarts.o $(BUILD)/src/watch/inotify.o

# As needed: only those load libvirt that use it.
$(test_tools) $(bench_tools): $(BUILD)/%: $(BUILD)/%.o \
		$(BUILD)/libfit-sys.a $(BUILD)/libfit-core.a $(BUILD)/libfit-base.a
	$(link) $(call libs,$(virt_pkgs) $(sys_pkgs) $(core_pkgs))

$(fuzzer): $(call objects,$(sort $(wildcard tests/fuzz/*.c))) $(unit_support) \
		$(BUILD)/libfit-cli.a $(BUILD)/libfit-watch.a $(BUILD)/libfit-fitting.a $(BUILD)/libfit-virt.a $(BUILD)/libfit-sys.a \
		$(BUILD)/libfit-core.a $(BUILD)/libfit-base.a
	$(link) $(call libs,$(test_pkgs) $(virt_pkgs) $(sys_pkgs) $(core_pkgs) $(cli_pkgs) $(watch_pkgs)) -pthread

# Profiles that others can write or own are refused, but a checkout may be a user's or a group's: the
# tests use copies, new ones each time.
.PHONY: $(BUILD)/profiles
$(BUILD)/profiles:
	rm -rf $@
	install -d -m 0755 $@
	install -m 0644 profiles/*.xml $@

.PHONY: tools tests check bench fuzz mutate lint
tools: $(test_tools) $(fuzzer) $(BUILD)/profiles
tests: all tools $(unit_tests)

check: tests
	BUILD=$(BUILD) tests/run $(T)

bench: all tools $(bench_tools)
	BUILD=$(BUILD) tests/bench/run

# Another seed each time, unless SEED= says which; findings are left in $(BUILD).
fuzz: tools
	$(fuzzer) $(or $(SEED),$(shell date +%s)) $(or $(SECONDS),60) $(BUILD)

mutate:
	tests/mutation/run $(or $(SECONDS),600) $(FILES)

lint: all
	BUILD=$(BUILD) tests/run lint

.PHONY: lab check-lab lab-shell
lab:
	tests/lab/run build
check-lab:
	tests/lab/run check $(T)
lab-shell:
	tests/lab/run shell

.PHONY: install uninstall
install: all
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(sbindir) $(DESTDIR)$(datadir)/virt-fit/profiles \
		$(DESTDIR)$(datadir)/doc/virt-fit $(DESTDIR)$(unitdir)
	install -m 0755 $(BUILD)/virt-fit $(DESTDIR)$(bindir)/virt-fit
	install -m 0755 $(BUILD)/virt-fit-hook $(DESTDIR)$(sbindir)/virt-fit-hook
	install -m 0644 profiles/*.xml profiles/*.rng $(DESTDIR)$(datadir)/virt-fit/profiles/
	install -m 0644 profiles/*.md $(DESTDIR)$(datadir)/doc/virt-fit/
	sed 's,@bindir@,$(bindir),; s,@datadir@,$(datadir),' src/systemd/virt-fit.service.in \
		>$(DESTDIR)$(unitdir)/virt-fit.service
	chmod 0644 $(DESTDIR)$(unitdir)/virt-fit.service
	DESTDIR='$(DESTDIR)' sysconfdir='$(sysconfdir)' hook/install-gate $(BUILD)/qemu-gate

uninstall:
	DESTDIR='$(DESTDIR)' sysconfdir='$(sysconfdir)' hook/install-gate --remove
	rm -f $(DESTDIR)$(bindir)/virt-fit $(DESTDIR)$(sbindir)/virt-fit-hook \
		$(DESTDIR)$(unitdir)/virt-fit.service
	rm -rf $(DESTDIR)$(datadir)/virt-fit $(DESTDIR)$(datadir)/doc/virt-fit

.PHONY: clean
clean:
	rm -rf build build-*

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/json.h"

#include "base/memory.h"

struct json_object *fit_json_strings(const struct fit_strlist *list)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < list->count; i++)
		json_object_array_add(array, json_object_new_string(list->items[i]));
	return array;
}

struct json_object *fit_json_string_or_null(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

struct json_object *fit_json_cpus(const struct fit_cpuset *set)
{
	fit_autofree char *list = fit_cpuset_format_list(set);

	return json_object_new_string(list);
}

static struct json_object *pins(
	const char *id_name, const struct fit_thread_pin *items, size_t count)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++) {
		struct json_object *pin = json_object_new_object();

		json_object_object_add(pin, id_name, json_object_new_int64(items[i].id));
		json_object_object_add(pin, "cpus", fit_json_cpus(&items[i].cpus));
		json_object_array_add(array, pin);
	}
	return array;
}

static struct json_object *topology(const struct fit_topology *from)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "sockets", json_object_new_int64(from->sockets));
	json_object_object_add(object, "dies", json_object_new_int64(from->dies));
	json_object_object_add(object, "clusters", json_object_new_int64(from->clusters));
	json_object_object_add(object, "cores", json_object_new_int64(from->cores));
	json_object_object_add(object, "threads", json_object_new_int64(from->threads));
	return object;
}

static struct json_object *caches(const struct fit_plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->cache_count; i++) {
		const struct fit_planned_cache *cache = &plan->caches[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "l3_cache", json_object_new_int64(cache->id));
		json_object_object_add(object, "vcpus", fit_json_cpus(&cache->vcpus));
		if (cache->bytes)
			json_object_object_add(
				object, "bytes", json_object_new_uint64(cache->bytes));
		if (cache->bandwidth)
			json_object_object_add(object, "bandwidth_percent",
				json_object_new_int64(cache->bandwidth));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *memory(const struct fit_plan *plan)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "nodes", fit_json_cpus(&plan->memory_nodes));
	json_object_object_add(object, "strict", json_object_new_boolean(plan->memory_strict));
	json_object_object_add(object, "memory_kib", json_object_new_uint64(plan->memory_kib));
	json_object_object_add(object, "locked", json_object_new_boolean(plan->memory_locked));
	if (plan->page_kib && !plan->pages_differ) {
		json_object_object_add(object, "page_kib", json_object_new_uint64(plan->page_kib));
		json_object_object_add(object, "pages", json_object_new_uint64(plan->pages));
	}
	return object;
}

static struct json_object *cells(const struct fit_plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct fit_planned_cell *cell = &plan->cells[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "vcpus", fit_json_cpus(&cell->vcpus));
		json_object_object_add(object, "nodes", fit_json_cpus(&cell->nodes));
		json_object_object_add(object, "memory_nodes", fit_json_cpus(&cell->memory_nodes));
		json_object_object_add(
			object, "memory_kib", json_object_new_uint64(cell->memory_kib));
		if (cell->page_kib)
			json_object_object_add(
				object, "page_kib", json_object_new_uint64(cell->page_kib));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *disks(const struct fit_plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->disk_iothread_count; i++) {
		const struct fit_disk_iothread *disk = &plan->disk_iothreads[i];
		struct json_object *object = json_object_new_object();

		if (disk->target)
			json_object_object_add(
				object, "disk", json_object_new_string(disk->target));
		else
			json_object_object_add(
				object, "scsi_controller", json_object_new_int64(disk->controller));
		json_object_object_add(object, "iothread",
			disk->iothread ? json_object_new_int64(disk->iothread)
				       : json_object_new_string("all"));
		json_object_array_add(array, object);
	}
	return array;
}

static void add_function(struct json_object *object, const struct fit_planned_vf *vf)
{
	json_object_object_add(object, "address", json_object_new_string(FIT_PCIADDR_STR(vf->vf)));
	json_object_object_add(object, "pf", json_object_new_string(FIT_PCIADDR_STR(vf->pf)));
	json_object_object_add(object, "netdev", fit_json_string_or_null(vf->pf_netdev));
	json_object_object_add(object, "index", json_object_new_int64(vf->index));
	json_object_object_add(object, "exists", json_object_new_boolean(vf->exists));
}

static void add_place(struct json_object *object, const struct fit_guest_place *place)
{
	struct json_object *guest;

	if (!place->set)
		return; /* libvirt chooses */
	guest = json_object_new_object();
	json_object_object_add(guest, "bus", json_object_new_int64(place->bus));
	json_object_object_add(guest, "slot", json_object_new_int64(place->slot));
	json_object_object_add(guest, "function", json_object_new_int64(place->function));
	json_object_object_add(object, "guest_address", guest);
}

/* Those that are added for VFs and devices. */
static struct json_object *controllers(const struct fit_plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->expander_count; i++) {
		const struct fit_planned_expander *expander = &plan->expanders[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "index", json_object_new_int64(expander->index));
		json_object_object_add(
			object, "model", json_object_new_string("pcie-expander-bus"));
		json_object_object_add(object, "guest_cell", json_object_new_int64(expander->cell));
		json_object_object_add(object, "slot", json_object_new_int64(expander->slot));
		json_object_array_add(array, object);
	}
	for (size_t i = 0; i < plan->port_count; i++) {
		const struct fit_planned_port *port = &plan->ports[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "index", json_object_new_int64(port->index));
		json_object_object_add(object, "model", json_object_new_string("pcie-root-port"));
		json_object_object_add(object, "bus", json_object_new_int64(port->bus));
		json_object_object_add(object, "slot", json_object_new_int64(port->slot));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *vfs(const struct fit_plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->vf_count; i++) {
		const struct fit_planned_vf *vf = &plan->vfs[i];
		struct json_object *object = json_object_new_object();

		if (vf->network)
			json_object_object_add(
				object, "network", fit_json_string_or_null(vf->network));
		else
			add_function(object, vf);
		json_object_object_add(object, "element",
			json_object_new_string(vf->is_interface ? "interface" : "hostdev"));
		if (vf->iommu_group >= 0)
			json_object_object_add(
				object, "iommu_group", json_object_new_int(vf->iommu_group));
		if (vf->mac)
			json_object_object_add(object, "mac", fit_json_string_or_null(vf->mac));
		if (vf->vlan)
			json_object_object_add(object, "vlan", json_object_new_int64(vf->vlan));
		add_place(object, &vf->place);
		if (vf->standby)
			json_object_object_add(
				object, "standby", fit_json_string_or_null(vf->standby));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *devices(const struct fit_plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->device_count; i++) {
		const struct fit_planned_device *device = &plan->devices[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "address", json_object_new_string(FIT_PCIADDR_STR(device->addr)));
		json_object_object_add(object, "kind", json_object_new_string(device->kind));
		json_object_object_add(object, "function", json_object_new_string(device->what));
		json_object_object_add(
			object, "iommu_group", json_object_new_int(device->iommu_group));
		if (device->node >= 0)
			json_object_object_add(object, "node", json_object_new_int(device->node));
		add_place(object, &device->place);
		json_object_array_add(array, object);
	}
	return array;
}

static const char *reason_name(enum fit_reason_kind kind)
{
	switch (kind) {
	case FIT_REASON_CHOICE:
		return "choice";
	case FIT_REASON_REJECTION:
		return "rejection";
	case FIT_REASON_KEPT:
		return "kept";
	case FIT_REASON_NOTE:
		return "note";
	case FIT_REASON_WARNING:
		break;
	}
	return "warning";
}

static struct json_object *reasons(const struct fit_plan *plan)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->reason_count; i++) {
		const struct fit_reason *reason = &plan->reasons[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "kind", json_object_new_string(reason_name(reason->kind)));
		json_object_object_add(object, "topic", json_object_new_string(reason->topic));
		json_object_object_add(object, "text", json_object_new_string(reason->text));
		if (reason->subject)
			json_object_object_add(
				object, "subject", json_object_new_string(reason->subject));
		if (reason->criterion)
			json_object_object_add(
				object, "criterion", json_object_new_string(reason->criterion));
		if (reason->has_values) {
			json_object_object_add(
				object, "value", json_object_new_uint64(reason->value));
			json_object_object_add(
				object, "chosen_value", json_object_new_uint64(reason->chosen));
		}
		json_object_array_add(array, object);
	}
	return array;
}

static const char *phase_name(enum fit_phase phase)
{
	switch (phase) {
	case FIT_PHASE_PREPARE:
		return "prepare";
	case FIT_PHASE_START:
		return "start";
	case FIT_PHASE_STARTED:
		return "started";
	case FIT_PHASE_STOPPED:
		return "stopped";
	case FIT_PHASE_RELEASE:
		break;
	}
	return "release";
}

static struct json_object *operations(const struct fit_hostops *ops)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < ops->count; i++) {
		const struct fit_op *op = &ops->items[i];
		struct json_object *object = json_object_new_object();
		fit_autofree char *text = fit_op_describe(op);

		json_object_object_add(object, "what", json_object_new_string(text));
		json_object_object_add(object, "at", json_object_new_string(phase_name(op->apply)));
		json_object_object_add(
			object, "undone_at", json_object_new_string(phase_name(op->undo)));
		json_object_object_add(object, "optional", json_object_new_boolean(op->optional));
		json_object_array_add(array, object);
	}
	return array;
}

static const char *error_name(enum fit_err_code code)
{
	switch (code) {
	case FIT_ERR_INVALID:
		return "invalid";
	case FIT_ERR_REFUSED:
		return "refused";
	case FIT_ERR_NOTFOUND:
		return "not found";
	case FIT_ERR_STALE:
		return "stale";
	case FIT_OK:
	case FIT_ERR_SYSTEM:
		break;
	}
	return "system";
}

void fit_json_add_error(struct json_object *object, const struct fit_err *err)
{
	struct json_object *error = json_object_new_object();

	json_object_object_add(error, "kind", json_object_new_string(error_name(err->code)));
	json_object_object_add(error, "message", json_object_new_string(err->message));
	json_object_object_add(object, "error", error);
}

struct json_object *fit_json_error(const char *subject, const struct fit_err *err)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "subject", json_object_new_string(subject));
	fit_json_add_error(object, err);
	return object;
}

struct json_object *fit_json_plan(const char *subject, const struct fit_render_result *result)
{
	const struct fit_plan *plan = &result->plan;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "subject", json_object_new_string(subject));
	json_object_object_add(object, "profiles", fit_json_strings(&result->profile.names));
	if (result->profile.only.count)
		json_object_object_add(object, "only", fit_json_strings(&result->profile.only));
	json_object_object_add(object, "fitted", json_object_new_boolean(!result->changed));
	if (plan->vcpu_count) {
		json_object_object_add(
			object, "vcpus", pins("vcpu", plan->vcpus, plan->vcpu_count));
		json_object_object_add(object, "nodes", fit_json_cpus(&plan->vcpu_nodes));
	}
	if (plan->cache_count)
		json_object_object_add(object, "caches", caches(plan));
	if (fit_cpu_mode_name(plan->cpu_mode))
		json_object_object_add(object, "cpu_mode",
			json_object_new_string(fit_cpu_mode_name(plan->cpu_mode)));
	if (plan->passthrough_cache)
		json_object_object_add(object, "cpu_cache", json_object_new_string("passthrough"));
	if (plan->has_topology)
		json_object_object_add(object, "topology", topology(&plan->topology));
	json_object_object_add(object, "housekeeping", fit_json_cpus(&plan->housekeeping));
	if (plan->has_emulator)
		json_object_object_add(object, "emulator", fit_json_cpus(&plan->emulator));
	if (plan->iothread_count)
		json_object_object_add(object, "iothreads",
			pins("iothread", plan->iothreads, plan->iothread_count));
	if (plan->disk_iothread_count)
		json_object_object_add(object, "disks", disks(plan));
	if (plan->has_memory)
		json_object_object_add(object, "memory", memory(plan));
	if (plan->cell_count)
		json_object_object_add(object, "guest_cells", cells(plan));
	if (plan->vf_count)
		json_object_object_add(object, "vfs", vfs(plan));
	if (plan->device_count)
		json_object_object_add(object, "devices", devices(plan));
	if (plan->expander_count + plan->port_count)
		json_object_object_add(object, "controllers", controllers(plan));
	json_object_object_add(object, "host", operations(&result->ops));
	json_object_object_add(object, "reasons", reasons(plan));
	json_object_object_add(object, "edited", fit_json_strings(&result->notes));
	return object;
}

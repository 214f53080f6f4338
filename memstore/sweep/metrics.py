"""Metrics of the sweep for Prometheus (the extra ``metrics``).

What a process did is counted as it happens; how the passes of the whole database stand is read
from its bookkeeping at each scrape, so that every exporter of it tells the same. Labels are tiers,
reasons and rules, never tenants or text.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric

from memstore.errors import MemstoreError
from memstore.store.database import Database
from memstore.store.operations import runs
from memstore.store.run_records import RunStatus
from memstore.sweep.hooks import BatchDeleted, BatchFailed, PassFinished, SweepDetails

NEVER = "never"
"""Last status of a database that was never swept."""

_PASS_BUCKETS = (0.1, 1, 10, 60, 300, 900, 3600, 14400)
_BATCH_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


class SweepMetrics:
    """A hook that counts what passes of this process do, and the state of a database's passes.

    Args:
        database: whose passes.
        registry: where the metrics are registered; a new one where left out.
    """

    def __init__(self, database: Database, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self._deleted = Counter(
            "memstore_sweep_deleted",
            "Memories deleted by this process.",
            ["tier", "rule"],
            registry=self.registry,
        )
        self._undeletable = Counter(
            "memstore_sweep_undeletable",
            "Deletions of memories that the database refused.",
            registry=self.registry,
        )
        self._failed_batches = Counter(
            "memstore_sweep_failed_batches",
            "Batches that were rolled back and tried again.",
            registry=self.registry,
        )
        self._purged = Counter(
            "memstore_sweep_events_purged",
            "Old events and tombstones deleted by this process.",
            registry=self.registry,
        )
        self._passes = Counter(
            "memstore_sweep_passes",
            "Passes of this process by how they ended.",
            ["status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "memstore_sweep_duration_seconds",
            "How long passes of this process took.",
            buckets=_PASS_BUCKETS,
            registry=self.registry,
        )
        self._batch_seconds = Histogram(
            "memstore_sweep_batch_duration_seconds",
            "How long transactions that deleted memories took.",
            buckets=_BATCH_BUCKETS,
            registry=self.registry,
        )
        self.registry.register(_Bookkeeping(database))

    def __call__(self, details: SweepDetails, /) -> None:
        """Count one moment of a pass; dry runs do not count."""
        match details:
            case BatchDeleted(dry_run=False):
                for (tier, reason, rule), count in details.counts.items():
                    name = reason if rule is None else f"{reason}/{rule}"
                    self._deleted.labels(tier=tier, rule=name).inc(count)
                self._batch_seconds.observe(details.seconds)
            case BatchFailed():
                self._failed_batches.inc()
            case PassFinished() if not details.report.dry_run:
                self._undeletable.inc(details.report.undeletable)
                self._purged.inc(details.report.events_purged)
                self._passes.labels(status=details.report.status.value).inc()
                self._seconds.observe(details.seconds)

    def serve(self, port: int, address: str = "127.0.0.1") -> None:
        """Answer scrapes of ``http://address:port/metrics`` in a thread of this process.

        Raises:
            OSError: the port cannot be listened on.
        """
        start_http_server(port, addr=address, registry=self.registry)


class _Bookkeeping:
    """Reads how the passes of a database stand, at each scrape."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def describe(self) -> Iterator[Metric]:
        """Register without a scrape."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """Read the last pass and the last one that went through."""
        readable = GaugeMetricFamily(
            "memstore_sweep_bookkeeping_readable", "Whether the database answered this scrape."
        )
        try:
            now = self._database.now()
            last = self._database.read(runs.last_run, *RunStatus)
            success = self._database.read(runs.last_run, RunStatus.DONE)
            paused = self._database.read(runs.get_pause)
        except MemstoreError:
            readable.add_metric([], 0)
            yield readable
            return
        readable.add_metric([], 1)
        yield readable
        status = GaugeMetricFamily(
            "memstore_sweep_last_status", "1 for how the last pass stands.", labels=["status"]
        )
        stands = NEVER if last is None else last.status.value
        for each in (NEVER, *(known.value for known in RunStatus)):
            status.add_metric([each], each == stands)
        yield status
        yield GaugeMetricFamily(
            "memstore_sweep_last_success_timestamp_seconds",
            "When the last pass that went through ended; 0 where none did.",
            value=0 if success is None else (success.finished_at or now).timestamp(),
        )
        yield GaugeMetricFamily(
            "memstore_sweep_paused", "Whether the pause switch is on.", value=paused is not None
        )
        if last is None:
            return
        yield GaugeMetricFamily(
            "memstore_sweep_last_deleted",
            "Memories that the last pass deleted.",
            value=last.deleted,
        )
        yield GaugeMetricFamily(
            "memstore_sweep_last_undeletable",
            "Memories that the database refused to delete in the last pass.",
            value=last.counts.get("undeletable", 0),
        )
        yield GaugeMetricFamily(
            "memstore_sweep_last_locked",
            "Due memories that others held throughout the last pass.",
            value=last.counts.get("locked", 0),
        )
        yield GaugeMetricFamily(
            "memstore_sweep_last_duration_seconds",
            "How long the last pass took, or has been going.",
            value=((last.finished_at or now) - last.started_at).total_seconds(),
        )
        left = last.oldest_due_at
        yield GaugeMetricFamily(
            "memstore_sweep_oldest_due_age_seconds",
            "Age of the oldest expiry that the last pass had to leave due; 0 where it left none.",
            value=0 if left is None else (now - left).total_seconds(),
        )

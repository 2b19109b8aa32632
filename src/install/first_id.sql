-- Sets the mark above all ids that this server has generated, also before the extension was last dropped from this database. The
-- generators do not accept an earlier mark than that of 2026, even if the clock shows one.
SELECT setval('ids_internal.mark', (greatest(extract(epoch FROM clock_timestamp()), 1767225600) * 1e6)::bigint);
SELECT gen_ulid();

-- Sets the mark above all ids that this server has generated, also before the extension was last dropped here, and never before 2026.
SELECT setval('ids_internal.mark', (greatest(extract(epoch FROM clock_timestamp()), 1767225600) * 1e6)::bigint);
SELECT gen_ulid();

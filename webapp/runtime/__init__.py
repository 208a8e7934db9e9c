"""The one-command local runtime: embedded Redis, web, worker and sweeper under one supervisor."""

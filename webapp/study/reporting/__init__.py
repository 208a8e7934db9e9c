"""Results as tables and figures. What stands in them is computed in `statistics` and `outcomes`.

`result_table` turns typed values into the text of cells, for pages and for files. `campaign_tables`
and `study_tables` build the tables for a paper; those of the pages are built in `researcher`.
`figures` loads Matplotlib: import it in a worker's task or in a command, never in the web process.
"""

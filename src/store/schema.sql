-- The run file. Names that start with an underscore are internal: interned, packed into lists, and
-- free to change. All others are tables and views for users. Every id is an index from 0 in the
-- order of first sight in the input. What is not known is NULL.
-- One statement after another; each ends with a semicolon at the end of a line.

CREATE TABLE meta(format VARCHAR, schema_version UINTEGER, tool_version VARCHAR);
COMMENT ON TABLE meta IS 'What wrote this file: format is ''kernelscope run''';

CREATE TABLE processes(process_id UINTEGER, rank INTEGER, pid BIGINT, host VARCHAR, compilations UBIGINT, launches UBIGINT);
COMMENT ON TABLE processes IS 'Processes that wrote traces, with their rank where it is known';

CREATE TABLE files(file_id UINTEGER, process_id UINTEGER, name VARCHAR, bytes UBIGINT, lines UBIGINT);
COMMENT ON TABLE files IS 'Input files: decoded bytes and lines';

CREATE TABLE diagnostics(name VARCHAR, severity VARCHAR, count UBIGINT, meaning VARCHAR, samples VARCHAR[]);
COMMENT ON TABLE diagnostics IS 'What was skipped, guessed or could not be read, counted; severity info, data_loss or error';

-- Call stacks ---------------------------------------------------------------------------------

CREATE TABLE _frames(frame_id UINTEGER, filename VARCHAR, line BIGINT, function VARCHAR, code VARCHAR);
CREATE TABLE _stacks(stack_id UINTEGER, frames UINTEGER[], benchmark BOOLEAN, inductor BOOLEAN, session UINTEGER, call_site UINTEGER);

CREATE VIEW stack_frames AS
  SELECT s.stack_id, s.depth, f.filename, f.line, f.function, f.code
  FROM (SELECT stack_id, unnest(frames) AS frame_id, generate_subscripts(frames, 1) - 1 AS depth FROM _stacks) s
  JOIN _frames f USING (frame_id);
COMMENT ON VIEW stack_frames IS 'Python frames of each distinct call stack, outermost first (depth 0)';

CREATE VIEW call_sites AS
  SELECT s.stack_id, f.filename, f.line, f.function, f.code, f.filename || ':' || f.line AS location
  FROM _stacks s LEFT JOIN _frames f ON f.frame_id = s.call_site;
COMMENT ON VIEW call_sites IS 'Innermost frame of the user''s own code, by call stack';

-- Kernels -------------------------------------------------------------------------------------

CREATE TABLE _kernels(kernel_id UINTEGER, hash VARCHAR, name VARCHAR, variant UINTEGER, compilations UINTEGER, compilation_seen BOOLEAN,
  launches_user UBIGINT, launches_winner UBIGINT, launches_benchmark UBIGINT, launches_warm_up UBIGINT, launches_graph_capture UBIGINT,
  backend VARCHAR, arch VARCHAR, triton_version VARCHAR, num_warps BIGINT, num_stages BIGINT, num_ctas BIGINT, shared_bytes BIGINT, maxnreg BIGINT, warp_size BIGINT,
  registers UINTEGER, scalar_registers UINTEGER, accumulator_registers UINTEGER, spilled_registers UINTEGER, spill_bytes UINTEGER, stack_bytes UINTEGER,
  static_shared_bytes UINTEGER, resources_from VARCHAR, num_warps_base UINTEGER,
  load_bytes UBIGINT, store_bytes UBIGINT, flops UBIGINT, cost_is_lower_bound BOOLEAN, cost_notes VARCHAR[],
  source_file VARCHAR, source_start_line BIGINT, source_end_line BIGINT, source UINTEGER, candidates UINTEGER[], metadata VARCHAR);

CREATE VIEW kernels AS
  SELECT kernel_id, name, variant, hash,
    launches_user + launches_winner AS user_launches,
    launches_benchmark + launches_warm_up + launches_graph_capture AS other_launches,
    launches_winner, launches_benchmark, launches_warm_up, launches_graph_capture,
    CASE WHEN launches_user + launches_winner > 0 THEN 'launched'
         WHEN launches_benchmark > 0 THEN 'autotune candidate, not chosen'
         ELSE 'not launched' END AS status,
    compilations, compilation_seen, backend, arch, triton_version, num_warps, num_stages, num_ctas, shared_bytes, maxnreg, warp_size,
    registers, scalar_registers, accumulator_registers, spilled_registers, spill_bytes, stack_bytes, static_shared_bytes, resources_from, num_warps_base,
    load_bytes, store_bytes, flops, cost_is_lower_bound, cost_notes, source_file, source_start_line, source_end_line, candidates, metadata
  FROM _kernels k;
COMMENT ON VIEW kernels IS 'Compiled variants, one per hash. variant: n-th of its name, as in name#n. Byte and FLOP counts are static and of one CTA';

CREATE TABLE _python_sources(source UINTEGER, text VARCHAR);
CREATE VIEW python_sources AS
  SELECT k.kernel_id, k.name AS kernel, k.source_file, k.source_start_line, k.source_end_line, p.text
  FROM _kernels k JOIN _python_sources p ON p.source = k.source;
COMMENT ON VIEW python_sources IS 'Python text of each kernel';

CREATE TABLE dots(kernel_id UINTEGER, line UINTEGER, loop_depth UINTEGER, m UBIGINT, n UBIGINT, k UBIGINT, input_dtype VARCHAR, output_dtype VARCHAR);
COMMENT ON TABLE dots IS 'Matrix products in the TTIR of each kernel';

CREATE TABLE loops(kernel_id UINTEGER, begin_line UINTEGER, end_line UINTEGER, depth UINTEGER, trip_count UBIGINT);
COMMENT ON TABLE loops IS 'Loops in the TTIR of each kernel; trip_count only where the bounds are constants';

CREATE TABLE loop_schedules(kernel_id UINTEGER, loop UINTEGER, ttir_line UINTEGER, ttgir_line UINTEGER, phase VARCHAR, position UINTEGER, op VARCHAR, op_line UINTEGER, source_file VARCHAR, source_line UINTEGER);
COMMENT ON TABLE loop_schedules IS 'Where software pipelining put loads and dots: phase prologue, body or epilogue; op_line is a TTGIR line';

CREATE TABLE amd_buffer_ops(kernel_id UINTEGER, tt_load UINTEGER, tt_store UINTEGER, amdgpu_buffer_load UINTEGER, amdgpu_buffer_store UINTEGER,
  global_load UINTEGER, global_store UINTEGER, buffer_load UINTEGER, buffer_store UINTEGER);
COMMENT ON TABLE amd_buffer_ops IS 'AMD kernels: lines with each memory operation, the first four in TTGIR, the others in AMDGCN';

CREATE TABLE compilations(compilation_id UINTEGER, kernel_id UINTEGER, process_id UINTEGER, stack_id UINTEGER,
  frame_id BIGINT, frame_compile_id BIGINT, attempt BIGINT, compiled_autograd_id BIGINT, frame_from_torch_trace BOOLEAN,
  cache_hit BOOLEAN, time TIMESTAMP, total_us BIGINT, ir_initialization_us BIGINT, store_results_us BIGINT);
COMMENT ON TABLE compilations IS 'Each time a kernel was compiled; frame_id and frame_compile_id are those of torch.compile';

CREATE TABLE compile_stages(compilation_id UINTEGER, stage VARCHAR, us BIGINT);
COMMENT ON TABLE compile_stages IS 'Microseconds of each stage of each compilation';

-- Stage texts and source maps -----------------------------------------------------------------

CREATE TABLE artifacts(artifact_id UINTEGER, kernel_id UINTEGER, stage VARCHAR, name VARCHAR, bytes UBIGINT, lines UINTEGER,
  mapped UINTEGER, unmapped UINTEGER, unknown_location UINTEGER);
COMMENT ON TABLE artifacts IS 'Stage texts: stage is ttir, ttgir, llir, ptx, amdgcn, sass or the file''s extension; mapped, unmapped and unknown_location count its lines of code';

-- Padded with rows of NULL so that a row group, which is read whole, holds no more than about 16 MB.
CREATE TABLE _texts(artifact_id UINTEGER, text VARCHAR USING COMPRESSION zstd);

CREATE VIEW artifact_texts AS
  SELECT a.artifact_id, a.kernel_id, k.name AS kernel, a.stage, a.name, t.text
  FROM artifacts a JOIN _kernels k USING (kernel_id) JOIN _texts t USING (artifact_id);
COMMENT ON VIEW artifact_texts IS 'Stage texts with their text';

-- Frame 0 and string 0 are "not known".
CREATE TABLE _map_strings(string_id UINTEGER, text VARCHAR);
CREATE TABLE _map_frames(frame_id UINTEGER, file UINTEGER, line UINTEGER, col UINTEGER, function UINTEGER);
CREATE TABLE _map_chains(chain_id UINTEGER, frames UINTEGER[], innermost UINTEGER, outermost UINTEGER, name UINTEGER, inferred BOOLEAN);
CREATE TABLE _maps(artifact_id UINTEGER, lines UINTEGER[], chains UINTEGER[]);

CREATE VIEW _named_map_frames AS
  SELECT f.frame_id, nullif(s.text, '') AS file, f.line, nullif(f.col, 0) AS col, nullif(n.text, '') AS function
  FROM _map_frames f JOIN _map_strings s ON s.string_id = f.file JOIN _map_strings n ON n.string_id = f.function;

CREATE VIEW source_chains AS
  SELECT c.chain_id, c.depth, f.file, f.line, f.col AS "column", f.function, c.inferred
  FROM (SELECT chain_id, inferred, unnest(frames) AS frame_id, generate_subscripts(frames, 1) - 1 AS depth FROM _map_chains) c
  JOIN _named_map_frames f USING (frame_id);
COMMENT ON VIEW source_chains IS 'Inline chains: depth 0 is where the operation was written, the last is the kernel itself';

CREATE VIEW source_map AS
  SELECT m.artifact_id, a.kernel_id, a.stage, m.line,
    i.file AS source_file, i.line AS source_line, i.col AS source_column, i.function AS source_function,
    o.file AS kernel_file, o.line AS kernel_line, nullif(n.text, '') AS value_name, c.inferred, m.chain_id
  FROM (SELECT artifact_id, unnest(lines) AS line, unnest(chains) AS chain_id FROM _maps) m
  JOIN artifacts a USING (artifact_id)
  JOIN _map_chains c USING (chain_id)
  JOIN _named_map_frames i ON i.frame_id = c.innermost
  JOIN _named_map_frames o ON o.frame_id = c.outermost
  JOIN _map_strings n ON n.string_id = c.name;
COMMENT ON VIEW source_map IS 'Lines of stage texts to source lines: source_* is where the operation was written, kernel_* the line of the kernel''s own body that it was inlined into; the whole chain is in source_chains. A line may have several rows';

-- Launches ------------------------------------------------------------------------------------

CREATE TABLE _paths(path UINTEGER, name VARCHAR, parts VARCHAR[], is_pointer BOOLEAN, is_volatile BOOLEAN, is_measured BOOLEAN);
CREATE TABLE _values(value UINTEGER, json VARCHAR);
CREATE TABLE _contents(content UINTEGER, leaf_paths UINTEGER[], leaf_values UINTEGER[], json VARCHAR);
CREATE TABLE _groups(group_id UINTEGER, kernel_id UINTEGER, attribution VARCHAR, position_offset UINTEGER, function VARCHAR);
CREATE TABLE _classes(class UINTEGER, group_id UINTEGER, process_id UINTEGER, stack_id UINTEGER, kind VARCHAR, captured BOOLEAN, count UBIGINT,
  grid BIGINT[], contents UINTEGER[], pointer_paths UINTEGER[]);
-- One row per launch: all that differs within a class.
CREATE TABLE _launches(launch_id UBIGINT, class UINTEGER, position UINTEGER, time TIMESTAMP, pointers UBIGINT[]);

CREATE VIEW launches AS
  SELECT l.launch_id, g.kernel_id, k.name AS kernel, k.hash, c.kind,
    l.position + g.position_offset AS position, c.process_id, p.rank,
    l.time, c.grid, c.captured, c.stack_id,
    f.filename AS call_site_file, f.line AS call_site_line, f.function AS call_site_function,
    g.attribution, l.class AS launch_class
  FROM _launches l JOIN _classes c USING (class) JOIN _groups g USING (group_id)
  LEFT JOIN _kernels k USING (kernel_id) LEFT JOIN processes p ON p.process_id = c.process_id
  LEFT JOIN _stacks s ON s.stack_id = c.stack_id LEFT JOIN _frames f ON f.frame_id = s.call_site;
COMMENT ON VIEW launches IS 'All launches in the order of the input. kind: user, winner, benchmark, warm_up or graph_capture; position numbers the user launches of a kernel from 0 and is NULL for others';

CREATE VIEW _class_fields AS
  SELECT l.class, p.name AS field, p.parts, v.json AS value
  FROM (SELECT c.class, unnest(x.leaf_paths) AS path, unnest(x.leaf_values) AS value
        FROM (SELECT class, unnest(contents) AS content FROM _classes) c JOIN _contents x USING (content)) l
  JOIN _paths p USING (path) JOIN _values v USING (value);

CREATE VIEW launch_fields AS
  SELECT l.launch_id, g.kernel_id, f.field, f.parts, f.value
  FROM _launches l JOIN _classes c USING (class) JOIN _groups g USING (group_id) JOIN _class_fields f USING (class)
  UNION ALL
  SELECT l.launch_id, g.kernel_id, p.name, p.parts, l.pointer::VARCHAR
  FROM (SELECT q.launch_id, c.group_id, unnest(c.pointer_paths) AS path, unnest(q.pointers) AS pointer
        FROM _launches q JOIN _classes c USING (class)) l
  JOIN _groups g USING (group_id) JOIN _paths p USING (path);
COMMENT ON VIEW launch_fields IS 'Every field of every launch by dotted name; value is its JSON text, pointers as decimal numbers. Filter by launch_id, kernel_id or field';

CREATE VIEW launch_arguments AS
  SELECT launch_id, kernel_id, parts[2] AS argument, nullif(array_to_string(parts[3:], '.'), '') AS property, value
  FROM launch_fields WHERE parts[1] = 'extracted_args' AND len(parts) >= 2;
COMMENT ON VIEW launch_arguments IS 'Arguments of every launch by name: property is shape, dtype, value and so on';

CREATE VIEW launch_pointers AS
  SELECT l.launch_id, g.kernel_id, p.parts[2] AS argument, l.pointer, l.pointer % 16 = 0 AS aligned
  FROM (SELECT q.launch_id, c.group_id, unnest(c.pointer_paths) AS path, unnest(q.pointers) AS pointer
        FROM _launches q JOIN _classes c USING (class)) l
  JOIN _groups g USING (group_id) JOIN _paths p USING (path);
COMMENT ON VIEW launch_pointers IS 'Pointer arguments of every launch; aligned: divisible by 16, which Triton specialises on';

-- What differs between the user launches of a kernel --------------------------------------------

-- Most fields vary together or not at all, so which launches go together is stored once: value n of
-- a field is that of the launches of part n of its split (NULL: pointers, which have no values).
CREATE TABLE _diff_fields(kernel_id UINTEGER, path UINTEGER, present UBIGINT, distinct_values UBIGINT, aligned UBIGINT, varies BOOLEAN,
  split UINTEGER, value_ids UINTEGER[]);
CREATE TABLE _diff_splits(kernel_id UINTEGER, split UINTEGER, part UINTEGER, count UBIGINT, starts UINTEGER[], ends UINTEGER[]);
CREATE VIEW _diff_values AS
  SELECT f.kernel_id, f.path, f.varies, f.part, f.value, s.count, s.starts, s.ends
  FROM (SELECT kernel_id, path, varies, split, unnest(value_ids) AS value, (generate_subscripts(value_ids, 1) - 1)::UINTEGER AS part FROM _diff_fields) f
  JOIN _diff_splits s USING (kernel_id, split, part);

CREATE VIEW launch_diff_fields AS
  SELECT d.kernel_id, k.name AS kernel, p.name AS field, d.varies, d.distinct_values, d.present,
    k.launches_user + k.launches_winner AS user_launches,
    CASE WHEN p.is_pointer THEN d.aligned END AS aligned_launches, p.is_pointer, p.is_volatile, p.is_measured
  FROM _diff_fields d JOIN _kernels k USING (kernel_id) JOIN _paths p USING (path);
COMMENT ON VIEW launch_diff_fields IS 'Fields of the user launches of each kernel: whether they vary, how many launches have them';

CREATE VIEW launch_diff AS
  SELECT d.kernel_id, k.name AS kernel, p.name AS field, d.varies, v.json AS value, d.count AS launches,
    d.starts AS first_positions, d.ends AS last_positions
  FROM _diff_values d JOIN _kernels k USING (kernel_id)
  JOIN _paths p USING (path) JOIN _values v USING (value);
COMMENT ON VIEW launch_diff IS 'Distinct values of each field over the user launches of a kernel, with the ranges of positions of the launches (see launches.position), both ends included';

CREATE TABLE _configurations(kernel_id UINTEGER, configuration UINTEGER, launches UBIGINT, starts UINTEGER[], ends UINTEGER[],
  paths UINTEGER[], value_ids UINTEGER[], stacks UINTEGER[], stack_counts UBIGINT[]);

CREATE VIEW configurations AS
  SELECT kernel_id, k.name AS kernel, c.configuration, c.launches,
    c.starts AS first_positions, c.ends AS last_positions,
    v.fields
  FROM _configurations c JOIN _kernels k USING (kernel_id)
  LEFT JOIN (SELECT u.kernel_id, u.configuration, map(list(p.name ORDER BY u.i), list(x.json ORDER BY u.i)) AS fields
    FROM (SELECT kernel_id, configuration, unnest(paths) AS path, unnest(value_ids) AS value, generate_subscripts(paths, 1) AS i FROM _configurations) u
    JOIN _paths p USING (path) LEFT JOIN _values x USING (value)
    GROUP BY ALL) v USING (kernel_id, configuration);
COMMENT ON VIEW configurations IS 'Distinct combinations of all fields that vary between the user launches of a kernel, most frequent first; fields maps names to JSON texts, NULL where a launch lacks the field';

CREATE VIEW configuration_call_sites AS
  SELECT c.kernel_id, c.configuration, c.launches, s.stack_id, s.filename, s.line, s.function
  FROM (SELECT kernel_id, configuration, unnest(stacks) AS stack_id, unnest(stack_counts) AS launches FROM _configurations) c
  LEFT JOIN call_sites s USING (stack_id);
COMMENT ON VIEW configuration_call_sites IS 'Where the launches of each configuration come from';

CREATE TABLE _lock_steps(kernel_id UINTEGER, lock_step UINTEGER, distinct_values UINTEGER, fields VARCHAR[]);
CREATE VIEW lock_steps AS SELECT * FROM _lock_steps;
COMMENT ON VIEW lock_steps IS 'Fields that move together between the user launches of a kernel, and how many combinations they take';

-- Autotuning ----------------------------------------------------------------------------------

CREATE TABLE autotune_sessions(session UINTEGER, session_id VARCHAR, name VARCHAR, autotuner VARCHAR, stack_id UINTEGER, cache_hit BOOLEAN, duration_s DOUBLE, best_config VARCHAR, key VARCHAR);
COMMENT ON TABLE autotune_sessions IS 'Uses of an autotuner, one per place of the program; autotuner is triton or inductor';

CREATE TABLE autotune_configs(session UINTEGER, position UINTEGER, kernel_id UINTEGER, winner BOOLEAN, config VARCHAR, timings_ms VARCHAR, compilations UBIGINT, benchmark_launches UBIGINT, user_launches UBIGINT);
COMMENT ON TABLE autotune_configs IS 'What each session tried; timings_ms is JSON and only where the trace has timings';

import { join } from 'node:path'

// Tests start hundreds of processes and threads of the same programs: each then reads what the first has compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled')

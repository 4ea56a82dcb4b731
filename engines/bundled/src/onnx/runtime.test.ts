import { readFile } from 'node:fs/promises'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { sileroVadFile } from '@svc-audio/silero-vad'
import { describe, expect, test } from 'vitest'
import { chosenRuntime, loadRuntime } from './runtime.ts'

describe('without onnxruntime-node', () => {
  test('auto is WebAssembly, which computes a graph', async () => {
    const runtime = await loadRuntime()
    expect([runtime.name, chosenRuntime()]).toEqual(['web', 'web'])
    const graph = await runtime.open(await readFile(sileroVadFile))
    const { output } = await graph.run({
      input: runtime.tensor('float32', new Float32Array(576), [1, 576]),
      state: runtime.tensor('float32', new Float32Array(256), [2, 1, 128]),
      sr: runtime.tensor('int64', BigInt64Array.of(16_000n), []),
    })
    // Silence is no speech.
    expect(output).toMatchObject({ dims: [1, 1] })
    expect(Number(output?.data[0])).toBeLessThan(0.1)
    await graph.release()
  })

  test('node is refused with the command that installs it', async () => {
    const refused = loadRuntime('node')
    await expect(refused).rejects.toThrow(EngineFailedError)
    await expect(refused).rejects.toThrow('Run `npm install onnxruntime-node`')
  })
})

test('bytes that are no graph are an error of the engine', async () => {
  const runtime = await loadRuntime('web')
  await expect(runtime.open(Buffer.from('no graph'))).rejects.toThrow(EngineFailedError)
})

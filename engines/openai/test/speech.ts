import { createFliteEngine } from '@svc-audio/engines'

/** Two sentences of a voice, in 16 kHz mono PCM: a tone is no speech. */
export async function spokenPcm(
  text = 'The train to the coast leaves at seven. Take your coat.',
  voiceId = 'rms',
): Promise<Uint8Array> {
  const engine = await createFliteEngine({ workers: 1 })
  try {
    const { chunks } = await engine.synthesize({ text, voiceId })
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    return Buffer.concat(parts)
  } finally {
    await engine.close()
  }
}

import { EngineFailedError, type EngineVoice } from '@svc-audio/engine-ports'
import { z } from 'zod'
import { readJson, type Upstream } from '../upstream.ts'

/** The lists of servers: objects or plain strings, in an object or bare. OpenAI itself has none. */
const Listed = z.union([
  z.string().transform((id) => ({ id, name: id, language: undefined })),
  z
    .object({ id: z.string(), name: z.string().optional(), language: z.string().optional() })
    .transform(({ id, name = id, language }) => ({ id, name, language })),
  z
    .object({ voice_id: z.string(), name: z.string().optional(), language: z.string().optional() })
    .transform(({ voice_id: id, name = id, language }) => ({ id, name, language })),
])
const Answer = z.union([
  z.object({ voices: z.array(Listed) }),
  z.object({ data: z.array(Listed) }).transform(({ data }) => ({ voices: data })),
  z.array(Listed).transform((voices) => ({ voices })),
])

/** Reads the voices that a server lists. @throws EngineFailedError with the remedy */
export async function listVoices(
  name: string,
  upstream: Upstream,
  { language, signal }: { readonly language: string; readonly signal: AbortSignal },
): Promise<EngineVoice[]> {
  const response = await upstream.send({ method: 'GET', path: '/audio/voices', signal })
  const parsed = Answer.safeParse(await readJson(name, response))
  if (!parsed.success || parsed.data.voices.length === 0) {
    throw new EngineFailedError(`${name} lists no voices: name them under speech.voices`)
  }
  return parsed.data.voices.map(({ id, name: called, language: own }) => ({
    id,
    name: called,
    language: /^[a-z]{2,3}(?=$|[-_])/.exec(own?.toLowerCase() ?? '')?.[0] ?? language,
  }))
}

import { AudioClient } from '@svc-audio/core'
import { SPEECH, type WarmClient } from './warm-args.ts'

/** Our client, as in its documentation. */
export const prepare: WarmClient['prepare'] = (origin) => {
  const client = new AudioClient({ apiKey: 'bench', baseUrl: origin })
  return {
    models: async () => (await client.models.list()).object,
    speech: async () => (await client.speech.createUrl(SPEECH)).object,
  }
}

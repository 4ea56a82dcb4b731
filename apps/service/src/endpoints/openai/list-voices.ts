import { VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import { z } from 'zod'
import { defineEndpoint, json } from '../../http/endpoint.ts'
import { listVoices } from '../../use-cases/voices.ts'
import { checkPage, VoiceQuery } from '../voices/list-voices.ts'

/** A page of voices, as servers in the shape of OpenAI list them. */
const VoicesResponse = z.looseObject({
  voices: z.array(z.object({ id: z.string(), name: z.string() })),
  has_more: z.boolean(),
  next_cursor: z.string().optional().describe('Pass it as `after`'),
})

/** `GET /openai/v1/audio/voices`. */
export const LIST_OPENAI_VOICES = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/audio/voices',
  operationId: 'listOpenaiVoices',
  tag: 'openai',
  summary: 'The voices of this account, as servers in the shape of OpenAI list them',
  description: 'An addition to the interface. OpenAI has no such call. Each id is a value of `voice`.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  query: VoiceQuery,
  content: json(VoicesResponse),
  errors: [400],
  handle:
    ({ services }) =>
    async ({ query, tenant }) => {
      const page = checkPage({ limit: VOICES_LIMIT_MAX, ...query })
      const { data, has_more, next_cursor } = await listVoices(services, tenant, page)
      const voices = data.map(({ id, name }) => ({ id, name }))
      return { voices, has_more, ...(next_cursor === undefined ? {} : { next_cursor }) }
    },
})

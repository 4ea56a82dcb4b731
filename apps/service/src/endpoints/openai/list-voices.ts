import { VOICES_LIMIT_MAX } from '@svc-audio/core/interface'
import { z } from 'zod'
import { defineEndpoint, type Endpoint, json, named } from '../../http/endpoint.ts'
import { listVoices } from '../../use-cases/voices.ts'
import { checkPage, VoiceQuery } from '../voices/list-voices.ts'
import { OPENAI_MODELS, requireModel } from '../../domain/models.ts'
import { modelOf } from './names.ts'

/** A page of voices, as servers in the shape of OpenAI list them. */
const VoicesResponse = named(
  'OpenaiVoiceList',
  z.looseObject({
    // Of the items: a choice between two arrays makes no Java.
    voices: z.array(z.union([named('OpenaiListedVoice', z.object({ id: z.string(), name: z.string() })), z.string()])),
    has_more: z.boolean(),
    next_cursor: z.string().optional().describe('Pass it as `after`'),
  }),
)

/** `GET /openai/v1/audio/voices`. */
export const LIST_OPENAI_VOICES: Endpoint = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/audio/voices',
  operationId: 'listOpenaiVoices',
  tag: 'openai',
  summary: 'The voices of this account, as servers in the shape of OpenAI list them',
  description:
    'An addition to the interface. OpenAI has no such call. Each id is a value of `voice`. With the setting `--openai-voice-list names` the list has ids alone.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  isList: true,
  query: VoiceQuery,
  content: json(VoicesResponse),
  errors: [400],
  handle:
    ({ services }) =>
    async ({ query, tenant }) => {
      const page = checkPage({ limit: VOICES_LIMIT_MAX, ...query })
      const { data, has_more, next_cursor } = await listVoices(services, tenant, page)
      const isPlain = services.settings.openai.voiceList === 'names'
      const voices = data.map(({ id, name }) => (isPlain ? id : { id, name }))
      return { voices, has_more, ...(next_cursor === undefined ? {} : { next_cursor }) }
    },
})

/** `GET /openai/v1/audio/speech/voices`. */
export const LIST_SPEACHES_VOICES: Endpoint = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/audio/speech/voices',
  operationId: 'listSpeachesVoices',
  tag: 'openai',
  summary: 'The voices of the service, as earlier versions of speaches list them',
  description: 'An addition to the interface, for bridges that expect speaches. Each `voice_id` is a value of `voice`.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  isList: true,
  query: z.looseObject({ model_id: z.string().default('tts-1') }),
  content: json(z.array(named('SpeachesVoice', z.object({ model_id: z.string(), voice_id: z.string() })))),
  errors: [400, 404],
  handle:
    ({ services: { engines } }) =>
    ({ query: { model_id } }) => {
      requireModel(modelOf(model_id), 'speech')
      return engines.speech.voices.map(({ id }) => ({ model_id, voice_id: id }))
    },
})

/** `GET /openai/v1/audio/models`. */
export const LIST_OPENAI_SPEECH_MODELS: Endpoint = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/audio/models',
  operationId: 'listOpenaiSpeechModels',
  tag: 'openai',
  summary: 'The models that speak, as Open WebUI asks for them',
  description: 'An addition to the interface. OpenAI has no such call.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  isList: true,
  content: json(
    named(
      'OpenaiSpeechModelList',
      z.object({ models: z.array(named('OpenaiSpeechModel', z.object({ id: z.string(), name: z.string() }))) }),
    ),
  ),
  handle() {
    const spoken = [...OPENAI_MODELS].filter(([, own]) => own.startsWith('svc-tts-'))
    const ids = [...new Set([...spoken.map(([, own]) => own), ...spoken.map(([name]) => name)])]
    const models = ids.map((id) => ({ id, name: id }))
    return () => ({ models })
  },
})

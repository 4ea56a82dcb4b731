import { ServiceError } from '../../domain/service-error.ts'
import { defineEndpoint } from '../../http/endpoint.ts'

/** `POST /openai/v1/audio/translations`: refused before the body is read. */
export const CREATE_OPENAI_TRANSLATION = defineEndpoint({
  method: 'POST',
  path: '/openai/v1/audio/translations',
  operationId: 'createOpenaiTranslation',
  tag: 'openai',
  summary: 'Refuses a translation',
  description: 'An addition to the interface. The service does not translate: every request is refused with 400.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  status: 400,
  errors: [400],
  onRequest(_request, _reply, done) {
    const message = 'Translation is not supported: send the recording to /openai/v1/audio/transcriptions'
    done(new ServiceError(400, 'unsupported_translation', message))
  },
  handle: () => () => undefined,
})

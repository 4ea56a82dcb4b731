import { describe, expect, test } from 'vitest'
import { InvalidRequestError } from '../errors.ts'
import { checkTranscription } from './transcription.ts'

const BODY = { model: 'svc-transcribe-1.0', file: Uint8Array.of(1) }
const DIARIZE = { ...BODY, model: 'svc-transcribe-diarize-pro' }

function refusal(body: object): unknown {
  try {
    checkTranscription(body, 'answer')
    return undefined
  } catch (error) {
    return error
  }
}

describe('interface: POST /v1/audio/transcriptions', () => {
  const wrong: readonly [body: object, code: string, param: string][] = [
    // rules: transcription.model
    [{ ...BODY, model: undefined }, 'missing_required_field', 'model'],
    [{ ...BODY, model: '' }, 'missing_required_field', 'model'],
    // rules: models.own-endpoint
    [{ ...BODY, model: 'svc-tts-1.5-flash' }, 'unsupported_for_model', 'model'],
    [{ ...BODY, model: 'svc-ttsd-1.0' }, 'unsupported_for_model', 'model'],
    // one source is required; what several would mean is not documented
    // rules: transcription.one-source
    [{ model: BODY.model }, 'missing_required_field', 'file'],
    [{ model: BODY.model, file_id: '' }, 'missing_required_field', 'file_id'],
    [{ model: BODY.model, url: ' ' }, 'missing_required_field', 'url'],
    [{ model: BODY.model, audio_url: 7 }, 'missing_required_field', 'audio_url'],
    // rules: transcription.several-sources-open
    [{ ...BODY, url: 'https://example.com/a.wav' }, 'ambiguous_source', 'url'],
    [{ ...BODY, file_id: 'file-1' }, 'ambiguous_source', 'file_id'],
    [{ model: BODY.model, url: 'https://a.example', audio_url: 'https://b.example' }, 'ambiguous_source', 'audio_url'],
    // "audio_data is not supported"
    // rules: transcription.no-audio-data
    [{ ...BODY, audio_data: 'UklGRg==' }, 'unsupported_field', 'audio_data'],
    // rules: transcription.response-format
    [{ ...BODY, response_format: 'srt' }, 'invalid_value', 'response_format'],
    [{ ...BODY, response_format: null }, 'invalid_value', 'response_format'],
    // rules: transcription.diarize
    [{ ...BODY, diarize: 'true' }, 'invalid_type', 'diarize'],
    // one method per outcome
    [{ ...DIARIZE, stream: true }, 'unsupported_field', 'stream'],
    [{ ...BODY, async: true }, 'unsupported_field', 'async'],
    [{ ...BODY, webhook_url: 'https://example.com/hook' }, 'unsupported_field', 'webhook_url'],
    // "Transcription parameter errors"
    // rules: transcription.keyterms, errors.keyterms-array
    [{ ...DIARIZE, keyterms: 'term' }, 'invalid_type', 'keyterms'],
    [{ ...DIARIZE, keyterms: {} }, 'invalid_type', 'keyterms'],
    // rules: transcription.keyterms, errors.keyterms-strings
    [{ ...DIARIZE, keyterms: ['a', 1] }, 'invalid_type', 'keyterms'],
    // rules: transcription.keyterms, errors.keyterms-model
    [{ ...BODY, keyterms: ['a'] }, 'unsupported_for_model', 'keyterms'],
  ]

  test.each(wrong)('%j is %s / %s', (body, code, param) => {
    const error = refusal(body)
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code, param })
  })

  test.each<object>([
    BODY,
    DIARIZE,
    // rules: transcription.one-source
    { model: BODY.model, file_id: 'file-1' },
    { model: BODY.model, url: 'https://example.com/a.wav' },
    { model: BODY.model, audio_url: 'https://example.com/a.wav' },
    // rules: transcription.response-format
    { ...BODY, response_format: 'json' },
    { ...BODY, response_format: 'text' },
    { ...BODY, diarize: false },
    // rules: errors.keyterms-model
    { ...BODY, keyterms: [] },
    { ...DIARIZE, keyterms: ['svc', 'Ærø'] },
    { ...BODY, model: 'vendor-transcribe-2', keyterms: ['a'] },
    { ...BODY, a_new_field: 1 },
  ])('%j is sent', (body) => {
    expect(refusal(body)).toBeUndefined()
  })
})

describe('with allowPrivateUrls', () => {
  const source = (url: string) => (): void =>
    checkTranscription({ model: BODY.model, url }, 'answer', { allowPrivateUrls: true })

  test('the service decides about a private address', () => {
    expect(source('http://127.0.0.1:8787/v1/audio/results/a?expires=1')).not.toThrow()
  })

  test('a URL that is not http or https is refused', () => {
    expect(source('file:///etc/passwd')).toThrow('url: must be an absolute http or https URL')
  })
})

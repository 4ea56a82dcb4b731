import { checkPublicUrl } from './public-url.ts'
import {
  check,
  flag,
  modelOf,
  oneOf,
  optional,
  type Outcome,
  outcomeRules,
  refused,
  type Rule,
  type Rules,
  streamedBy,
  text,
} from './rules.ts'

const SOURCES = ['file', 'file_id', 'url', 'audio_url']
const STANDARD_MODEL = 'svc-transcribe-1.0'
const DIARIZING_MODEL = 'svc-transcribe-diarize-pro'

/** Options for the source of a transcription. */
export interface TranscriptionSourceOptions {
  /** Accepts private addresses. The service checks them. @default false */
  readonly allowPrivateUrls?: boolean
}

/**
 * The rules of `POST /v1/audio/transcriptions`.
 * @throws InvalidRequestError naming the field
 */
export function checkTranscription(body: object, outcome: Outcome, options: TranscriptionSourceOptions = {}): void {
  check(body, (options.allowPrivateUrls === true ? RULES_FOR_ANY_URL : RULES)[outcome])
}

/** Only the multi-speaker model streams events (interface: `stream`). */
const streamed: Rule = (value, fields, field) =>
  oneOf([true])(value, fields, field) ?? streamedBy(DIARIZING_MODEL, fields['model'])

const format = oneOf(['json', 'text'])

const noText: Rule = (value, ...more) =>
  value === 'text'
    ? ['unsupported_with_stream', 'cannot be combined with a stream: leave it out']
    : format(value, ...more)

/** The interface does not say which of several sources applies, so exactly one is allowed. */
const oneSource: Rule = (_, fields) => {
  const [first, second] = SOURCES.filter((source) => fields[source] !== undefined)
  if (first === undefined) return ['missing_required_field', 'is required, or file_id, url or audio_url']
  return second === undefined
    ? undefined
    : ['ambiguous_source', `cannot be combined with ${first}: leave it out`, second]
}

/** Interface: transcription parameter errors. */
const keyterms = optional((terms, { model }) => {
  if (!Array.isArray(terms) || !terms.every((term) => typeof term === 'string')) {
    return ['invalid_type', 'must be an array of strings']
  }
  return model === STANDARD_MODEL && terms.length > 0
    ? ['unsupported_for_model', `does not work here: use ${DIARIZING_MODEL}`]
    : undefined
})

function rulesOf(outcome: Outcome, options: TranscriptionSourceOptions): Rules {
  const streams = outcome === 'stream'
  const publicUrl = optional((value, fields, field) => {
    const fault = text(value, fields, field)
    if (fault === undefined) checkPublicUrl(String(value), field, options)
    return fault
  })
  return {
    model: modelOf('svc-transcribe-'),
    audio_data: refused('is not accepted: use file'),
    ...outcomeRules(outcome, 'transcriptions'),
    stream: streams ? streamed : refused('is for streams only: use transcriptions.stream()'),
    file: oneSource,
    file_id: optional(text),
    url: publicUrl,
    audio_url: publicUrl,
    response_format: streams ? noText : format,
    diarize: flag,
    keyterms,
  }
}

function rulesOfAll(options: TranscriptionSourceOptions): Readonly<Record<Outcome, Rules>> {
  return { answer: rulesOf('answer', options), task: rulesOf('task', options), stream: rulesOf('stream', options) }
}

/** Made once: short requests come in great numbers. */
const RULES = rulesOfAll({})
const RULES_FOR_ANY_URL = rulesOfAll({ allowPrivateUrls: true })

import { ApiError, type Voice } from '@svc-audio/core'
import { z } from 'zod'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions, VoiceChoice } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import { accepted, openSource } from '../sources/open-source.ts'
import type { VoicesArtifact } from './artifacts.ts'
import { defineOperation, invalidArguments, type OperationResult, type SpeechOperation } from './operation.ts'

/** Arguments of `list_voices`. Both are absent where the application lists the voices itself. */
export type ListVoicesSchema = z.ZodObject<{
  /** A part of the name, the id or the description. */
  search?: z.ZodOptional<z.ZodString>
  /** Language of the voice, e.g. `de`. */
  language?: z.ZodOptional<z.ZodString>
}>

/** Voices in one answer. A model that gets hundreds reads none of them. */
const MAX_VOICES = 30

/** Voices in one page of the service: its maximum. */
const PAGE = 150

/** The voices that a model may use: those of the application, or with `serviceVoices` those of the service too. */
export function listVoicesOperation(options: ResolvedOptions): SpeechOperation<ListVoicesSchema, VoicesArtifact> {
  const { voices, names, serviceVoices } = options
  const shared = { tool: 'list_voices', title: 'List voices', readOnly: true } as const
  if (serviceVoices)
    return defineOperation<ListVoicesSchema, VoicesArtifact>(options, {
      ...shared,
      description: `Finds voices for ${names.speak} by a part of their name or description, or by language.`,
      schema: z.object({
        search: z.string().optional().describe('A part of the name or the description.'),
        language: z.string().optional().describe('Language of the voice, e.g. de or pt-BR.'),
      }),
      usage: 'Both arguments are optional strings: "search" and "language".',
      run: ({ search, language }, scope) => findVoices(textOf(search), textOf(language), scope),
    })
  return defineOperation<ListVoicesSchema, VoicesArtifact>(options, {
    ...shared,
    description: `Lists the voices that ${names.speak} can use, with the language of each and what it is good for.`,
    schema: z.object({}),
    usage: 'This tool takes no arguments.',
    run: () => Promise.resolve({ content: voices.map(voiceLine).join('\n'), artifact: { type: 'voices', voices } }),
  })
}

function textOf(given: unknown): string {
  return typeof given === 'string' ? given : ''
}

async function findVoices(search: string, language: string, scope: RunScope): Promise<OperationResult<VoicesArtifact>> {
  const { options, client, call } = scope
  const [part, tag] = [search.trim().toLowerCase(), language.trim().toLowerCase()]
  const found: VoiceChoice[] = []
  let count = 0
  const add = (voice: VoiceChoice, texts: readonly (string | undefined)[], tags: readonly string[]): void => {
    const isNamed = part === '' || texts.some((text) => text?.toLowerCase().includes(part) === true)
    if (!isNamed || (tag !== '' && !tags.some((one) => isOfLanguage(one, tag)))) return
    count += 1
    if (found.length < MAX_VOICES) found.push(voice)
  }
  for (const voice of options.voices) add(voice, [voice.name, voice.description], [voice.language ?? []].flat())
  for await (const voice of client.voices.list({ limit: PAGE }, call)) {
    const { id, name, description, gender, languages = [voice.language ?? []].flat() } = voice
    add(choiceOf(voice), [id, name, description, gender], languages)
  }
  const rest = count - found.length
  const lines = found.map(voiceLine)
  if (count === 0) lines.push('No voice fits. Search for a shorter part of a name, or leave out the language.')
  if (rest > 0) lines.push(`[${rest} more. Search for a name or a language.]`)
  return { content: lines.join('\n'), artifact: { type: 'voices', voices: found } }
}

/** A voice of the service. A model names it by its id. */
function choiceOf({ id, name, description, gender, language, languages = [] }: Voice): VoiceChoice {
  const about = [name === id ? '' : name, gender ?? '', description ?? ''].filter((text) => text !== '')
  const spoken = languages.length > 0 ? languages.join(', ') : language
  return {
    name: id,
    voice_id: id,
    ...(spoken === undefined ? {} : { language: spoken }),
    ...(about.length === 0 ? {} : { description: about.join(', ') }),
  }
}

/** Whether two tags are of one language: the first part counts, so a voice for `pt` is one for `pt-BR` too. */
function isOfLanguage(tag: string, given: string): boolean {
  return tag.toLowerCase().split('-')[0] === given.split('-')[0]
}

/** Arguments of `clone_voice`. */
export type CloneVoiceSchema = z.ZodObject<{
  /** Reference of a stored recording, or a path where the options allow one. */
  audio: z.ZodString
  /** Name of the new voice. */
  name: z.ZodString
}>

/** A voice from a recording (interface: `POST /v1/audio/voices`). */
export function cloneVoiceOperation(options: ResolvedOptions): SpeechOperation<CloneVoiceSchema, VoicesArtifact> {
  const { names } = options
  const sources = accepted({ ...options, allowUrls: false })
  const usage = `Give "audio", a recording of one person: ${sources}, and "name", a name for the voice.`
  return defineOperation(options, {
    tool: 'clone_voice',
    title: 'Make a voice of a recording',
    description: `Makes a voice like that of the person in a recording. Call it only if the user says that this person agrees. ${names.speak} can use the voice.`,
    schema: z.object({
      audio: z.string().describe(`The recording: ${sources}.`),
      name: z.string().describe('A name for the voice.'),
    }),
    usage,
    readOnly: false,
    run({ audio, name }, scope) {
      if (audio.trim() === '' || name.trim() === '') throw invalidArguments({ usage })
      return cloneVoice(audio, name.trim(), scope)
    },
  })
}

async function cloneVoice(audio: string, name: string, scope: RunScope): Promise<OperationResult<VoicesArtifact>> {
  const { options, client, call } = scope
  const opened = await openSource(audio, scope)
  try {
    if (!('file' in opened.body))
      throw new SpeechToolError('audio_unreadable', 'A voice is made of the bytes of a recording, not of an address.')
    const { id } = await client.voices.create({ audio_sample: opened.body.file, name }, call)
    const content = `The voice is ready. Its name for ${options.names.speak} is ${id}.`
    return { content, artifact: { type: 'voices', voices: [{ name: id, voice_id: id, description: name }] } }
  } finally {
    await opened.close?.()
  }
}

/** What decides which voices a model may choose. */
type Voices = Pick<ResolvedOptions, 'voices' | 'serviceVoices' | 'names'>

/** A voice as a model reads it: its name, its language, and what it is good for. */
function voiceLine({ name, language, description }: VoiceChoice): string {
  const named = language === undefined ? name : `${name} (${language})`
  return description === undefined ? named : `${named}: ${description}`
}

/**
 * The argument that chooses a voice by its name. The schema for the model lists the names, unless the service has more;
 * another spelling of a name is still understood.
 */
export function voiceField({ voices, serviceVoices, names }: Voices): z.ZodString {
  const listed = voices.map(voiceLine)
  if (!serviceVoices)
    return z.string().meta({
      enum: voices.map(({ name }) => name),
      description: `The voice.\n${listed.join('\n')}`,
    })
  return z.string().describe([`The voice, as ${names.list_voices} names it.`, ...listed].join('\n'))
}

/**
 * The id of a voice that a model named.
 * @throws SpeechToolError `invalid_arguments`, with the names that there are
 */
export function namedVoice({ voices, serviceVoices }: Voices, name: string): string {
  const given = name.trim()
  const found = voices.find((voice) => voice.name.toLowerCase() === given.toLowerCase())
  if (found !== undefined) return found.voice_id
  if (serviceVoices && given !== '') return given
  const names = voices.map((voice) => voice.name).join(', ')
  const shown = JSON.stringify(name.slice(0, 64))
  throw new SpeechToolError('invalid_arguments', `There is no voice ${shown}. Choose one of: ${names}.`)
}

/**
 * Awaits speech by voices that a model named. A voice that only the service could know, and does not, is the model's
 * mistake and not one of the application.
 * @throws SpeechToolError `invalid_arguments` for such a voice
 * @throws What the speech throws
 */
export async function withNamedVoices<T>(
  { voices, serviceVoices, names }: Voices,
  ids: readonly string[],
  speech: () => Promise<T>,
): Promise<T> {
  try {
    return await speech()
  } catch (error) {
    const foreign = ids.filter((id) => voices.every(({ voice_id }) => voice_id !== id))
    if (!serviceVoices || foreign.length === 0 || !ApiError.isInstance(error)) throw error
    if (error.code !== 'voice_not_found' && !(error.status === 404 && isVoice(error.param))) throw error
    const shown = foreign.map((id) => JSON.stringify(id.slice(0, 64))).join(', ')
    const missing = foreign.length === 1 ? `There is no voice ${shown}` : `One of these voices does not exist: ${shown}`
    const message = `${missing}. Choose one that ${names.list_voices} names.`
    throw new SpeechToolError('invalid_arguments', message, { requestId: error.requestId, cause: error })
  }
}

function isVoice(param: string | undefined): boolean {
  return param?.includes('voice') === true
}

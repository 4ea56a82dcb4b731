import type { Voice } from '@svc-audio/core'
import { z } from 'zod'
import type { ResolvedOptions, VoiceChoice } from '../options/speech-tools-options.ts'
import type { RunScope } from '../run/run-context.ts'
import type { VoicesArtifact } from './artifacts.ts'
import { defineOperation, type OperationResult, type SpeechOperation } from './operation.ts'
import { voiceLine } from './voice-field.ts'

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
  if (count === 0) lines.push('There is no such voice. Search for less.')
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

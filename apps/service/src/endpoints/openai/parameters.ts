import type { FastifyReply } from 'fastify'

/** What happens to a parameter of OpenAI's calls: `ignored` ones are named in {@link IGNORED_HEADER}. */
export type Fate = 'mapped' | 'ignored' | 'refused'

/** A parameter by its name, without brackets. docs/openai-api.md has the same table. */
export type Parameters = Readonly<Record<string, Fate>>

/** The parameters of OpenAI's speech. */
export const SPEECH_PARAMETERS: Parameters = {
  model: 'mapped',
  input: 'mapped',
  voice: 'mapped',
  instructions: 'mapped',
  response_format: 'mapped',
  speed: 'mapped',
  stream_format: 'mapped',
}

/** The parameters of OpenAI's transcriptions. */
export const TRANSCRIPTION_PARAMETERS: Parameters = {
  file: 'mapped',
  model: 'mapped',
  language: 'mapped',
  languages: 'mapped',
  prompt: 'mapped',
  keywords: 'mapped',
  response_format: 'mapped',
  timestamp_granularities: 'mapped',
  stream: 'mapped',
  temperature: 'ignored',
  chunking_strategy: 'ignored',
  include: 'ignored',
  known_speaker_names: 'refused',
  known_speaker_references: 'refused',
}

/** The response header with the names of ignored parameters. */
export const IGNORED_HEADER = 'x-ignored-parameters'

/** Maximum names in the header. */
const MAX_NAMES = 20

/** Names that a header can have. */
const NAME = /^[\w.-]{1,64}$/

/** Returns the given parameters that have no effect: ignored and unknown ones. */
export function ignoredOf(given: readonly string[], parameters: Parameters): string[] {
  return given.filter((name) => !Object.hasOwn(parameters, name) || parameters[name] === 'ignored')
}

/** Names ignored parameters in the response. */
export function noteIgnored(reply: FastifyReply, names: readonly string[]): void {
  const told = [...new Set(names)].filter((name) => NAME.test(name)).slice(0, MAX_NAMES)
  if (told.length > 0) reply.header(IGNORED_HEADER, told.join(', '))
}

import { ConfigurationError } from '@svc-audio/core'
import {
  callback,
  clientWith,
  describeFault,
  fields,
  findOptionFault,
  flag,
  integer,
  list,
  methods,
  object,
  optional,
  type OptionRule,
  type OptionRules,
  positive,
  text,
} from '#options'
import {
  type ResolvedOptions,
  SPEECH_TOOLS,
  type SpeechToolName,
  type SpeechToolsOptions,
} from './speech-tools-options.ts'

/**
 * Checks options when they are given: unknown names, missing ones, and each value.
 * @param owner The function or class with these options, such as `createSpeechTools()`. It starts the message.
 * @throws ConfigurationError naming the option
 */
export function checkOptions(options: unknown, rules: OptionRules, owner?: string): void {
  const fault = findOptionFault(options, rules, owner)
  if (fault !== undefined) throw new ConfigurationError(fault.message)
}

/** Checks one argument. @throws ConfigurationError naming it */
export function checkOption(name: string, rule: OptionRule, value: unknown): void {
  const message = describeFault(name, rule, value)
  if (message !== undefined) throw new ConfigurationError(message)
}

/** A client with the resources of the tools. */
export const toolClient: OptionRule = clientWith('speech', 'transcriptions', 'dialogue', 'tasks')

const DEFAULT_TOOLS: readonly SpeechToolName[] = [
  'speak',
  'transcribe',
  'read_transcript',
  'start_transcription',
  'get_transcription',
]

const aTool: OptionRule = (value) =>
  SPEECH_TOOLS.some((name) => name === value) ? undefined : `must be one of ${SPEECH_TOOLS.join(', ')}`

const someTools: OptionRule = (value) => {
  const fault = list(aTool, 'tool names')(value)
  if (fault !== undefined || !Array.isArray(value)) return fault
  const twice = value.findIndex((name, at) => value.indexOf(name) !== at)
  return twice < 0
    ? undefined
    : { at: `[${twice}]`, fault: 'must be a tool that is not in the list yet', value: value[twice] }
}

const aLanguage: OptionRule = (value) =>
  typeof value === 'string' && /^[A-Za-z]{2,3}(?:-[A-Za-z\d]{1,8})*$/.test(value)
    ? undefined
    : 'must be a language tag such as de or pt-BR'

const someVoices = list(
  fields({
    name: (value) =>
      typeof value === 'string' && /^[\p{L}\p{N}_-][\p{L}\p{N} _-]{0,63}$/u.test(value)
        ? undefined
        : 'must be 1 to 64 letters, digits, spaces, underscores or hyphens',
    voice_id: text,
    language: optional(aLanguage),
    description: optional(text),
  }),
  'voices',
)

const aHost: OptionRule = (value) =>
  typeof value === 'string' && isHost(value)
    ? undefined
    : 'must be a host such as example.com or *.example.com, without scheme and path'

const urlPermission: OptionRule = (value) =>
  typeof value === 'boolean' || typeof value === 'function' || value === 'from-user'
    ? undefined
    : "must be true, false, 'from-user' or a function"

/** Every large provider takes such a tool name. */
const toolName: OptionRule = (value) =>
  typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value)
    ? undefined
    : 'must be 1 to 64 letters, digits, underscores or hyphens'

const RULES: { readonly [Option in keyof SpeechToolsOptions]-?: OptionRule } = {
  client: toolClient,
  voice_id: text,
  store: methods('put', 'open'),
  forRun: optional(callback),
  tools: optional(someTools),
  voices: optional(someVoices),
  serviceVoices: optional(flag),
  model: optional(text),
  transcriptionModel: optional(text),
  speakerModel: optional(text),
  dialogueModel: optional(text),
  voiceModel: optional(text),
  aigc_metadata: optional(object),
  speakable: optional(flag),
  maxCharacters: optional(integer(1)),
  maxCharactersPerRun: optional(integer(1)),
  maxAudioSeconds: optional(positive('seconds')),
  maxAudioSecondsPerRun: optional(positive('seconds')),
  dailyBudget: optional(
    fields({
      store: methods('add'),
      maxCharacters: optional(integer(1)),
      maxAudioSeconds: optional(positive('seconds')),
    }),
  ),
  maxContentCharacters: optional(integer(1)),
  allowUrls: optional(urlPermission),
  urlHosts: optional(list(aHost, 'hosts')),
  allowedRoot: optional(text),
  names: optional(fields(Object.fromEntries(SPEECH_TOOLS.map((name) => [name, optional(toolName)])))),
}

/** What an adapter adds to the options of the application. */
export interface AdapterOptions {
  /** Whether its calls may bring `roots`. @default false */
  readonly callerRoots?: boolean
  /** Whether its calls bring `userTexts`. @default false */
  readonly userTexts?: boolean
  /**
   * Milliseconds after which a call for a transcription returns a task, for callers that end long calls. The service
   * works on, and `get_transcription` waits for the transcript as long. It needs that tool.
   * @default a call returns with its transcript
   */
  readonly taskAfter?: number
}

/**
 * Checks the options and fills in the defaults.
 * @throws ConfigurationError naming the option
 */
export function resolveOptions(
  options: SpeechToolsOptions,
  { callerRoots = false, userTexts = false, taskAfter }: AdapterOptions = {},
): ResolvedOptions {
  checkOptions(options, RULES)
  checkTogether(options)
  const { voices = [], names = {}, allowUrls = true, urlHosts = [] } = options
  if (allowUrls === 'from-user' && !userTexts)
    throw new ConfigurationError(
      "`allowUrls` 'from-user' needs the messages of the user, which this adapter does not get",
    )
  const { serviceVoices = false } = options
  const hasVoices = hasChoice({ voices, serviceVoices })
  const extra: readonly SpeechToolName[] = hasVoices ? ['list_voices', 'speak_dialogue'] : []
  const { tools = [...DEFAULT_TOOLS, ...extra] } = options
  const needing = hasVoices ? undefined : tools.find((tool) => tool === 'list_voices' || tool === 'speak_dialogue')
  if (needing !== undefined)
    throw new ConfigurationError(`tools has ${needing}, which needs voices: give the list, or serviceVoices: true`)
  if (tools.includes('clone_voice') && !serviceVoices)
    throw new ConfigurationError('tools has clone_voice, whose voices need serviceVoices: set it to true')
  return {
    client: options.client,
    voice_id: options.voice_id,
    store: options.store,
    forRun: options.forRun,
    tools,
    voices,
    serviceVoices,
    model: options.model ?? 'svc-tts-1.5-flash',
    transcriptionModel: options.transcriptionModel ?? 'svc-transcribe-1.0',
    speakerModel: options.speakerModel ?? 'svc-transcribe-diarize-pro',
    dialogueModel: options.dialogueModel ?? 'svc-ttsd-1.0',
    voiceModel: options.voiceModel ?? 'svc-voice-generator-1.0',
    aigc_metadata: options.aigc_metadata,
    speakable: options.speakable ?? true,
    maxCharacters: options.maxCharacters ?? 4000,
    maxCharactersPerRun: options.maxCharactersPerRun,
    maxAudioSeconds: options.maxAudioSeconds,
    maxAudioSecondsPerRun: options.maxAudioSecondsPerRun,
    dailyBudget: options.dailyBudget,
    maxContentCharacters: options.maxContentCharacters ?? 8000,
    allowUrls: allowUrls !== false,
    urlPolicy: typeof allowUrls === 'boolean' ? undefined : allowUrls,
    urlHosts: urlHosts.map((host) => host.toLowerCase()),
    allowedRoot: options.allowedRoot,
    names: resolveNames(names),
    paths: callerRoots || options.allowedRoot !== undefined,
    taskAfter: tools.includes('get_transcription') ? taskAfter : undefined,
  }
}

/** Whether a model may choose a voice at all. */
export function hasChoice({ voices, serviceVoices }: Pick<ResolvedOptions, 'voices' | 'serviceVoices'>): boolean {
  return voices.length > 0 || serviceVoices
}

/** Whether a URL with this host has it unchanged. */
function isHost(host: string): boolean {
  const name = host.replace(/^\*\./, '').toLowerCase()
  return name !== '' && URL.canParse(`https://${name}`) && new URL(`https://${name}`).host === name
}

/** Checks what the rule of one field does not see. @throws ConfigurationError naming the option */
function checkTogether({ voices = [], dailyBudget }: SpeechToolsOptions): void {
  const twice = voices.findIndex(({ name }, index) => voices.findIndex((voice) => voice.name === name) < index)
  if (twice >= 0) throw new ConfigurationError(`\`voices[${twice}].name\` must differ from the names before it`)
  if (dailyBudget === undefined) return
  if (dailyBudget.maxCharacters === undefined && dailyBudget.maxAudioSeconds === undefined)
    throw new ConfigurationError('`dailyBudget` limits nothing: give maxCharacters or maxAudioSeconds')
}

function resolveNames(names: NonNullable<SpeechToolsOptions['names']>): ResolvedOptions['names'] {
  const own: Partial<Record<SpeechToolName, string>> = {}
  const seen = new Map<string, string>()
  for (const tool of SPEECH_TOOLS) {
    const name = names[tool] ?? tool
    const other = seen.get(name)
    if (other !== undefined) throw new ConfigurationError(`names.${other} and names.${tool} must differ`)
    seen.set(name, tool)
    own[tool] = name
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the loop has filled every name in
  return own as Record<SpeechToolName, string>
}

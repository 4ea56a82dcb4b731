import { ConfigurationError } from '@svc-audio/core'
import {
  checkClient,
  checkCount,
  checkFlag,
  checkFunction,
  checkKnown,
  checkMethods,
  checkObject,
  type OptionCheck,
  checkOptions,
  checkPositive,
  checkText,
  refuse,
} from './checks.ts'
import { hasChoice } from '../operations/voice-field.ts'
import {
  type ResolvedOptions,
  SPEECH_TOOLS,
  type SpeechToolName,
  type SpeechToolsOptions,
} from './speech-tools-options.ts'

const DEFAULT_TOOLS: readonly SpeechToolName[] = [
  'speak',
  'transcribe',
  'read_transcript',
  'start_transcription',
  'get_transcription',
]

/** How each option is checked when it is given. */
const CHECKS: { readonly [Option in keyof SpeechToolsOptions]-?: OptionCheck } = {
  client: checkClient,
  voice_id: checkText,
  store: (value, option) => checkMethods(value, option, ['put', 'open']),
  forRun: checkFunction,
  tools: checkTools,
  voices: checkVoices,
  serviceVoices: checkFlag,
  model: checkText,
  transcriptionModel: checkText,
  speakerModel: checkText,
  dialogueModel: checkText,
  voiceModel: checkText,
  aigc_metadata: checkObject,
  speakable: checkFlag,
  maxCharacters: checkCount,
  maxCharactersPerRun: checkCount,
  maxAudioSeconds: checkPositive,
  maxAudioSecondsPerRun: checkPositive,
  dailyBudget: checkDailyBudget,
  maxContentCharacters: checkCount,
  allowUrls: checkAllowUrls,
  urlHosts: checkUrlHosts,
  allowedRoot: checkText,
  names: checkObject,
}

/** What an adapter adds to the options of the application. */
export interface AdapterOptions {
  /** Whether its calls may bring `roots`. @default false */
  readonly callerRoots?: boolean
  /** Whether its calls bring `userTexts`. @default false */
  readonly userTexts?: boolean
}

/**
 * Checks the options and fills in the defaults.
 * @throws ConfigurationError naming the option
 */
export function resolveOptions(
  options: SpeechToolsOptions,
  { callerRoots = false, userTexts = false }: AdapterOptions = {},
): ResolvedOptions {
  checkOptions(options, CHECKS, ['client', 'voice_id', 'store'])
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
  }
}

function checkAllowUrls(value: unknown, option: string): void {
  if (typeof value !== 'boolean' && typeof value !== 'function' && value !== 'from-user')
    refuse(option, "true, false, 'from-user' or a function", value)
}

function checkUrlHosts(value: unknown, option: string): void {
  if (!Array.isArray(value) || value.length === 0) refuse(option, 'a non-empty array of hosts', value)
  const wrong = value.findIndex((host) => typeof host !== 'string' || !isHost(host))
  if (wrong >= 0)
    refuse(`${option}[${wrong}]`, 'a host such as example.com or *.example.com, without scheme and path', value[wrong])
}

/** Whether a URL with this host has it unchanged. */
function isHost(host: string): boolean {
  const name = host.replace(/^\*\./, '').toLowerCase()
  return name !== '' && URL.canParse(`https://${name}`) && new URL(`https://${name}`).host === name
}

function checkDailyBudget(value: unknown, option: string): void {
  checkObject(value, option)
  checkKnown(value, ['store', 'maxCharacters', 'maxAudioSeconds'], `${option}.`)
  checkMethods(Reflect.get(value, 'store'), `${option}.store`, ['add'])
  const [characters, seconds]: unknown[] = [Reflect.get(value, 'maxCharacters'), Reflect.get(value, 'maxAudioSeconds')]
  if (characters !== undefined) checkCount(characters, `${option}.maxCharacters`)
  if (seconds !== undefined) checkPositive(seconds, `${option}.maxAudioSeconds`)
  if (characters === undefined && seconds === undefined) {
    throw new ConfigurationError(`\`${option}\` limits nothing: give maxCharacters or maxAudioSeconds`)
  }
}

function checkTools(value: unknown, option: string): void {
  if (!Array.isArray(value) || value.length === 0) refuse(option, 'a non-empty array of tool names', value)
  const known: readonly unknown[] = SPEECH_TOOLS
  const index = value.findIndex((tool, at) => !known.includes(tool) || value.indexOf(tool) !== at)
  if (index >= 0) refuse(`${option}[${index}]`, `one of ${SPEECH_TOOLS.join(', ')}, each once`, value[index])
}

function checkVoices(value: unknown, option: string): void {
  if (!Array.isArray(value) || value.length === 0) refuse(option, 'a non-empty array of voices', value)
  const names = new Set<unknown>()
  for (const [index, voice] of value.entries()) {
    const place = `${option}[${index}]`
    checkObject(voice, place)
    checkKnown(voice, ['name', 'voice_id', 'language', 'description'], `${place}.`)
    const name: unknown = Reflect.get(voice, 'name')
    if (typeof name !== 'string' || !/^[\p{L}\p{N}_-][\p{L}\p{N} _-]{0,63}$/u.test(name)) {
      refuse(`${place}.name`, '1 to 64 letters, digits, spaces, underscores or hyphens', name)
    }
    if (names.has(name)) throw new ConfigurationError(`${place}.name must differ from the names before it`)
    names.add(name)
    checkText(Reflect.get(voice, 'voice_id'), `${place}.voice_id`)
    const language: unknown = Reflect.get(voice, 'language')
    if (language !== undefined && !isLanguageTag(language)) {
      refuse(`${place}.language`, 'a language tag such as de or pt-BR', language)
    }
    const description: unknown = Reflect.get(voice, 'description')
    if (description !== undefined) checkText(description, `${place}.description`)
  }
}

function isLanguageTag(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z]{2,3}(?:-[A-Za-z\d]{1,8})*$/.test(value)
}

/** Every large provider takes such a tool name. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

function resolveNames(names: NonNullable<SpeechToolsOptions['names']>): ResolvedOptions['names'] {
  checkKnown(names, SPEECH_TOOLS, 'names.')
  const own: Partial<Record<SpeechToolName, string>> = {}
  const seen = new Map<unknown, string>()
  for (const tool of SPEECH_TOOLS) {
    const name: unknown = names[tool] ?? tool
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
      refuse(`names.${tool}`, '1 to 64 letters, digits, underscores or hyphens', name)
    }
    const other = seen.get(name)
    if (other !== undefined) throw new ConfigurationError(`names.${other} and names.${tool} must differ`)
    seen.set(name, tool)
    own[tool] = name
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the loop has filled every name in
  return own as Record<SpeechToolName, string>
}

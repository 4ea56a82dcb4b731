import { z } from 'zod'
import { readOrigins } from '../domain/origins.ts'
import { databaseHosts } from '../drivers/postgres/hosts.ts'

/** Reads the text of a setting. An error message continues the setting's name: "must be …". */
export type SettingValue<T> = z.ZodType<T, string>

/** The values in JSON, as a part of a JSON schema. */
const shapes = z.registry<object>()

/** Returns the JSON schema of a setting's value in the configuration file. @default a text */
export function shapeOf(given: unknown): object {
  const value = given instanceof z.ZodExactOptional ? given.unwrap() : given
  return (value instanceof z.ZodType ? shapes.get(value) : undefined) ?? { type: 'string' }
}

function shaped<T>(value: SettingValue<T>, shape: object): SettingValue<T> {
  shapes.add(value, shape)
  return value
}

/** A century in hours. */
export const MOST_HOURS = 876_000

/** An integer from `min` to `max`. The result is the number times `unit`. */
export function wholeNumber(min: number, max: number, unit: number = 1): SettingValue<number> {
  const value = reads((text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= min && number <= max) return number * unit
    throw new RangeError(`must be an integer from ${min} to ${max}, got ${shown(text)}`)
  })
  return shaped(value, { type: 'integer', minimum: min, maximum: max })
}

/** As {@link wholeNumber}, or `none` for no limit, which is `Infinity`. */
export function limit(min: number, max: number, unit: number = 1): SettingValue<number> {
  const number = wholeNumber(min, max, unit)
  const value = reads((text) => {
    if (text === 'none') return Infinity
    const { data } = number.safeParse(text)
    if (data !== undefined) return data
    throw new RangeError(`must be an integer from ${min} to ${max}, or none for no limit, got ${shown(text)}`)
  })
  return shaped(value, { anyOf: [{ type: 'integer', minimum: min, maximum: max }, { const: 'none' }] })
}

/** One of the given words. */
export function oneOf<T extends string>(words: readonly T[]): SettingValue<T> {
  const value = reads((text) => {
    const word = words.find((known) => known === text)
    if (word !== undefined) return word
    throw new RangeError(`must be one of ${words.join(', ')}, got ${shown(text)}`)
  })
  return shaped(value, { enum: words })
}

/** `true` or `false`. */
export const yesOrNo: SettingValue<boolean> = shaped(
  z.pipe(
    oneOf(['true', 'false']),
    z.transform((word) => word === 'true'),
  ),
  { type: 'boolean' },
)

/** Any text. */
export const anyText: SettingValue<string> = z.string()

/** The address of a site. It has no path, query or user, because the service appends the interface's paths. */
export const siteUrl: SettingValue<string> = reads((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSite = url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
  if (isSite) return url.origin
  throw new RangeError('must be the address of a site without a path, as https://audio.example.com')
})

/** The address of a PostgreSQL database. Errors never repeat the value, because it holds a password. */
export const databaseAddress: SettingValue<string> = reads((text) => {
  const { url } = databaseHosts(text)
  if (/^postgres(?:ql)?:/.test(text) && URL.canParse(url)) return text
  throw new RangeError('must be the address of a PostgreSQL database, as postgres://user:password@host:5432/name')
})

/** A secret of at least 16 visible characters. Errors never repeat it. */
export const secretText: SettingValue<string> = reads((text) => {
  if (/^[\u0021-\u007E]{16,}$/.test(text)) return text
  throw new RangeError('must be at least 16 characters without spaces')
})

/** A key of at least 32 visible characters. Errors never repeat it. */
export const secretKeyText: SettingValue<string> = reads((text) => {
  if (/^[\u0021-\u007E]{32,}$/.test(text)) return text
  throw new RangeError('must be at least 32 characters without spaces')
})

/** Texts with commas, or a list of them. */
const LIST = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }

/**
 * Hosts, addresses and CIDR blocks, separated by commas.
 * @param check Builds the policy from the entries. It throws for an invalid entry.
 */
export function allowList(check: (entries: readonly string[]) => unknown): SettingValue<string[]> {
  const value = reads((text) => {
    const entries = text.split(',').map((entry) => entry.trim())
    check(entries)
    return entries
  })
  return shaped(value, LIST)
}

/** Origins of pages, separated by commas. */
export const originList: SettingValue<string[]> = shaped(
  reads((text) => readOrigins(text.split(',').map((entry) => entry.trim()))),
  LIST,
)

/** `name=voice,name=voice`, read as a map from name to voice. */
export const voiceAliases: SettingValue<ReadonlyMap<string, string>> = shaped(reads(readAliases), LIST)

function readAliases(text: string): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>()
  for (const entry of text.split(',')) {
    const { name, voice } = /^\s*(?<name>[^=\s]+)\s*=\s*(?<voice>[^=\s]+)\s*$/.exec(entry)?.groups ?? {}
    if (name === undefined || voice === undefined) {
      throw new RangeError(`must be name=voice,name=voice, got the entry ${shown(entry.trim())}`)
    }
    if (aliases.has(name)) throw new RangeError(`must have each name once, got ${shown(name)} twice`)
    aliases.set(name, voice)
  }
  return aliases
}

/** `tenant:key,tenant:key`, read as a map from key to tenant. Errors never repeat the value, because it holds keys. */
export const keysOfTenants: SettingValue<ReadonlyMap<string, string>> = shaped(reads(readKeys), LIST)

function readKeys(text: string): ReadonlyMap<string, string> {
  const keys = new Map<string, string>()
  for (const [index, entry] of text.split(',').entries()) {
    const match = /^\s*(?<tenant>[\w.-]+):(?<key>[\u0021-\u002B\u002D-\u007E]{8,})\s*$/.exec(entry)
    const { tenant, key } = match?.groups ?? {}
    if (tenant === undefined || key === undefined) {
      throw new RangeError(
        `entry ${index + 1} must be tenant:key, the key at least 8 characters without spaces and commas`,
      )
    }
    keys.set(key, tenant)
  }
  return keys
}

function reads<T>(read: (text: string) => T): SettingValue<T> {
  return z.string().transform((text, context) => {
    try {
      return read(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) })
      return z.NEVER
    }
  })
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}

/** The documentation of a setting. */
export interface SettingNotes {
  /** The command-line option. A secret has none, because other users of the machine can see command lines. */
  readonly flag: string | undefined
  /** The environment variable. The option wins over the variable. */
  readonly variable: string
  /** The default, in a few words. */
  readonly fallback: string
  readonly meaning: string
}

const notes = z.registry<SettingNotes>()

/** Documents a setting by `[name, default, meaning]`. The option and the variable derive from the name. */
export function setting<T>(value: SettingValue<T>, name: string, fallback: string | number, meaning: string) {
  return described(value, { flag: `--${name}`, variable: variableOf(name), fallback: String(fallback), meaning })
}

/** Documents a secret: the command line does not take it. */
export function secret<T>(value: SettingValue<T>, name: string, meaning: string) {
  return described(value, { flag: undefined, variable: variableOf(name), fallback: 'none', meaning })
}

/** A setting whose variable other programs of a cluster use too. */
export function wellKnown<T>(value: SettingValue<T>, variable: string, meaning: string) {
  return described(value, { flag: undefined, variable, fallback: 'none', meaning })
}

function described<T>(value: SettingValue<T>, about: SettingNotes) {
  const optional = z.exactOptional(value)
  notes.add(optional, about)
  return optional
}

function variableOf(name: string): string {
  return `SVC_AUDIO_${name.toUpperCase().replaceAll('-', '_')}`
}

/** Returns the documentation of a setting. */
export function notesOf(value: z.ZodExactOptional): SettingNotes | undefined {
  return notes.get(value)
}

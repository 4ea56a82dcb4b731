import { z } from 'zod'
import type { SettingValue } from './setting-values.ts'

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

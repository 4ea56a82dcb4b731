import type { Voice } from '@svc-audio/core/pure'

/** The name of a voice for people: its id, if it has no name. */
export function nameOf({ id, name }: Voice): string {
  return name === '' ? id : name
}

/** A colour of a voice's badge, from its id: one of eight, always the same. */
export function hueOf(id: string): number {
  let sum = 0
  for (const char of id) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 997
  return sum % 8
}

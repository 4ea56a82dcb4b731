import type { Voice } from '@svc-audio/core/pure'
import { FormError, isNamed, rowText } from '../form.ts'
import type { Item } from './operation.ts'

const REMEDY = 'Choose a voice from the list, or use the ID that Get Many of Voice outputs.'

/**
 * The id of the voice that the form chooses: from the list, by its id, or by its name.
 * @throws FormError when no voice, or more than one, has the name
 */
export async function voiceOf(item: Item): Promise<string> {
  const value = item.form.required('voice')
  return item.form.isByName('voice') ? idOf(item, value, 'Voice') : value
}

/**
 * The id of the voice of a row, as {@link voiceOf}.
 * @param field Display name of the field, for errors.
 */
export async function voiceOfRow(item: Item, row: unknown, field: string): Promise<string> {
  const value = rowText(row, 'voiceId')
  return isNamed(row, 'voiceId') && value.trim() !== '' ? idOf(item, value.trim(), field) : value
}

async function idOf(item: Item, name: string, field: string): Promise<string> {
  const voices = await item.run.voices(await item.audio(), item.call)
  const same = (text: string): boolean => text.trim().toLowerCase() === name.toLowerCase()
  const [found, ...others]: Voice[] = voices.filter((voice) => same(voice.name))
  if (found === undefined) throw new FormError(field, `no voice has the name "${name}"`, REMEDY)
  if (others.length === 0) return found.id
  const ids = [found, ...others].map(({ id }) => id).join(', ')
  throw new FormError(field, `${others.length + 1} voices have the name "${name}": ${ids}`, REMEDY)
}

import type { DialogueRequest, DialogueSegment, DialogueSpeaker } from '@svc-audio/core/pure'
import { parseArray } from '../../form/coerce.ts'
import { rowsOf, rowText } from '../../form/rows.ts'
import type { Item } from '../item.ts'
import { aigcMetadata } from '../speech/speech-body.ts'

/** The request that the form, or the items, describe. */
export function dialogueBody(item: Item): Omit<DialogueRequest, 'async' | 'delivery_method' | 'webhook_url'> {
  const { form } = item
  return {
    model: form.required('model'),
    speakers: speakers(item),
    segments: lines(item),
    response_format: form.required('responseFormat'),
    ...aigcMetadata(form.read('options.aigc')),
  }
}

/** Whether all items are the lines of one dialogue. */
export function isOfAllItems({ form }: Item): boolean {
  return form.choice('linesFrom') === 'items'
}

function speakers(item: Item): DialogueSpeaker[] {
  return rowsOf(item.form.read('speakers'), 'speaker').map((row) => ({
    id: rowText(row, 'name'),
    voice_id: rowText(row, 'voiceId'),
  }))
}

function lines(item: Item): DialogueSegment[] {
  const { context, form } = item
  const from = form.choice('linesFrom')
  if (from === 'form') return rowsOf(form.read('lines'), 'line').map((row) => lineOf(row))
  if (from === 'json') return array(item, 'linesJson').map((row) => lineOf(row))
  const [speakerField, textField] = [form.required('speakerField'), form.required('textField')]
  return context.getInputData().map(({ json }) => lineOf(json, speakerField, textField))
}

function lineOf(row: unknown, speakerField = 'speaker', textField = 'text'): DialogueSegment {
  return { speaker: rowText(row, speakerField), text: rowText(row, textField) }
}

function array({ form }: Item, path: string): unknown[] {
  const value = form.read(path)
  const found = typeof value === 'string' ? parseArray(value) : value
  if (Array.isArray(found)) return found
  throw form.error(path, 'must be an array of objects with speaker and text', 'Check the JSON, or the expression.')
}

import type { Narration } from './narration.ts'

/** The module of a narration. The fields are named exports too, so that a page that wants only `src` carries no text. */
export function moduleCode({ src, type, durationSeconds, text }: Narration): string {
  return [
    `export const src = ${JSON.stringify(src)}`,
    `export const type = ${JSON.stringify(type)}`,
    `export const durationSeconds = ${durationSeconds ?? 'undefined'}`,
    `export const text = ${JSON.stringify(text)}`,
    'export default { src, type, durationSeconds, text }',
    '',
  ].join('\n')
}

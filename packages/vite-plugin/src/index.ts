export type { NarrationFormat } from './audio/formats.ts'
export type { Narration } from './narration.ts'
export type { NarrationOptions } from './options.ts'
export { narration } from './plugin.ts'

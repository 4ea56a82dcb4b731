// Types of imports with `?narrate`. In a tsconfig: `"types": ["@svc-audio/vite-plugin/client"]`.
// Wildcards of module names hold one `*`, so the marker comes last: `./post.md?voice_id=slt&narrate`.

interface HTMLElementTagNameMap {
  'narration-player': import('./elements.js').NarrationPlayer
}

declare module '*?narrate' {
  const narration: import('./dist/narration.js').Narration
  export const src: typeof narration.src
  export const type: typeof narration.type
  export const durationSeconds: typeof narration.durationSeconds
  export const bytes: typeof narration.bytes
  export const characters: typeof narration.characters
  export const text: string
  export const title: typeof narration.title
  export const language: typeof narration.language
  export const guid: typeof narration.guid
  export const captions: typeof narration.captions
  export const sections: typeof narration.sections
  export default narration
}

declare module '*&narrate' {
  const narration: import('./dist/narration.js').Narration
  export const src: typeof narration.src
  export const type: typeof narration.type
  export const durationSeconds: typeof narration.durationSeconds
  export const bytes: typeof narration.bytes
  export const characters: typeof narration.characters
  export const text: string
  export const title: typeof narration.title
  export const language: typeof narration.language
  export const guid: typeof narration.guid
  export const captions: typeof narration.captions
  export const sections: typeof narration.sections
  export default narration
}

declare module 'virtual:narrations/pages' {
  /**
   * The narration of a page, by its file from Vite's root or its route. `undefined` for a page that the option `pages` does
   * not name. Rejects for a route of two files.
   */
  export const narrationFor: import('./dist/page-finder.js').NarrationFor
}

declare module 'virtual:narrations' {
  const narrations: readonly import('./dist/narration.js').ListedNarration[]
  export default narrations
}

import type { Plugin } from 'vite'

/** A call of Vue's compiler with static HTML as a string, as chunks have it before they are minified. */
const STATIC = /\bcreateStaticVNode\((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'), \d+\)/g

/**
 * Ends the line behind each piece of static HTML. VitePress removes that HTML from the chunk of a page that was rendered
 * before, by an expression that takes all from the first piece of a line to its last: the rest is no JavaScript.
 */
export function leanPages(): Plugin {
  return {
    name: 'svc-audio:lean-pages',
    renderChunk: { order: 'pre', handler: (code) => ({ code: separateStaticNodes(code), map: null }) },
  }
}

/** Code with each piece of static HTML on a line of its own. */
export function separateStaticNodes(code: string): string {
  return code.replaceAll(STATIC, (call) => `${call}\n`)
}

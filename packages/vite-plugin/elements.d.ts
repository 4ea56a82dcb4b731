// Types of `<narration-player>` in React, Preact, Solid, Vue and Svelte. `client.d.ts` refers to this file.
// A project has one or two of these frameworks. Each `@ts-ignore` hides the error about a module that a project does not
// have, and that it would see if it checks the declarations of packages.

import type { PlayerLabels } from './dist/player/player-element.js'
import type { NarrationPlayer } from './dist/player/narration-player.js'

export type { NarrationPlayer, PlayerLabels }

/** Attributes of `<narration-player>`. */
interface NarrationPlayerAttributes {
  /** Address of the audio. */
  src?: string | undefined
  /** Address of the captions (WebVTT). */
  captions?: string | undefined
  /** Length in seconds, if known. */
  duration?: number | string | undefined
  /** Title of the text. */
  label?: string | undefined
  /** The element that is read: its id, or a selector. */
  for?: string | undefined
  /** Texts in another language: JSON, or an object where the framework sets properties. */
  labels?: string | Partial<PlayerLabels> | undefined
  /** Begins where the last visit has stopped. */
  resume?: string | boolean | undefined
  /** Offers the audio: the name of the file. */
  download?: string | boolean | undefined
  /** Stays in view while the text scrolls, and follows it. */
  docked?: string | boolean | undefined
  /** `off`: a click on a paragraph does not play it. */
  clicks?: string | undefined
}

// @ts-ignore: only projects with React have it
type ReactAttributes = import('react').HTMLAttributes<NarrationPlayer>
// @ts-ignore: only projects with React have it
type ReactReference = import('react').ClassAttributes<NarrationPlayer>

// @ts-ignore: only projects with React have it
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'narration-player': ReactAttributes & ReactReference & NarrationPlayerAttributes
    }
  }
}

// @ts-ignore: only projects with Preact have it
type PreactAttributes = import('preact').HTMLAttributes<NarrationPlayer>

// @ts-ignore: only projects with Preact have it
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'narration-player': PreactAttributes & NarrationPlayerAttributes
    }
  }
}

// @ts-ignore: only projects with Solid have it
type SolidAttributes = import('solid-js/jsx-runtime').JSX.HTMLAttributes<NarrationPlayer>

// @ts-ignore: only projects with Solid have it
declare module 'solid-js/jsx-runtime' {
  namespace JSX {
    interface IntrinsicElements {
      'narration-player': SolidAttributes & NarrationPlayerAttributes
    }
  }
}

// @ts-ignore: only projects with Vue have it
type VueComponent = import('vue').DefineComponent<NarrationPlayerAttributes>

// @ts-ignore: only projects with Vue have it
declare module 'vue' {
  interface GlobalComponents {
    'narration-player': VueComponent
  }
}

// @ts-ignore: only projects with Svelte have it
type SvelteAttributes = import('svelte/elements').HTMLAttributes<NarrationPlayer>

// @ts-ignore: only projects with Svelte have it
declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'narration-player': SvelteAttributes & NarrationPlayerAttributes
  }
}

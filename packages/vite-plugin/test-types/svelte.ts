import type { SvelteHTMLElements } from 'svelte/elements'
import post from '../README.md?narrate'

type Props = SvelteHTMLElements['narration-player']

/** What a Svelte template checks. */
export const props: Props = {
  src: post.src,
  captions: post.captions,
  duration: post.durationSeconds,
  label: post.title,
  for: 'post',
  id: 'player',
}

// @ts-expect-error: an address is a string
export const wrong: Props = { src: 1 }

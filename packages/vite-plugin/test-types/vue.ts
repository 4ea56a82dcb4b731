import type { GlobalComponents } from 'vue'
import post from '../README.md?narrate'

type Props = InstanceType<GlobalComponents['narration-player']>['$props']

/** What a Vue template checks. */
export const props: Props = {
  src: post.src,
  captions: post.captions,
  duration: post.durationSeconds,
  label: post.title,
  for: 'post',
}

// @ts-expect-error: an address is a string
export const wrong: Props = { src: 1 }

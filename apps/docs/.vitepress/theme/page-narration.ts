import { defineComponent, h, onMounted, type PropType } from 'vue'

/** What an import with `?narrate` gives, as far as the player needs it. */
interface Narration {
  readonly src: string
  readonly captions: string
  readonly durationSeconds?: number | undefined
}

/** The player of a page that is read aloud. It marks the paragraph that it reads. */
export const PageNarration = defineComponent({
  props: { narration: { type: Object as PropType<Narration>, required: true } },
  setup(props) {
    // In the browser only: the server that renders the page has no custom elements.
    onMounted(() => import('@svc-audio/vite-plugin/player'))
    return () => {
      const { src, captions, durationSeconds } = props.narration
      return h('narration-player', {
        src,
        captions,
        duration: durationSeconds,
        for: 'VPContent',
        label: 'Listen to this page',
      })
    }
  },
})

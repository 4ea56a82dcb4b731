import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h, onMounted, type PropType } from 'vue'
import './site.css'

const ACTIONS = [
  { text: 'Start', href: '/start/', kind: 'action brand' },
  { text: 'Concepts', href: '/concepts', kind: 'action' },
  { text: 'Move here', href: '/migrate/openai', kind: 'action' },
]

/** The buttons of the landing page. They are a component, so that the narration does not read them. */
const LandingActions = defineComponent(
  () => () =>
    h(
      'p',
      { class: 'landing-actions' },
      ACTIONS.map(({ text, href, kind }) => h('a', { class: kind, href }, text)),
    ),
)

/** What an import with `?narrate` gives, as far as the player needs it. */
interface Narration {
  readonly src: string
  readonly captions: string
  readonly durationSeconds?: number | undefined
}

/** The player of a page that is read aloud. It marks the paragraph that it reads. */
const PageNarration = defineComponent({
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

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LandingActions', LandingActions)
    app.component('PageNarration', PageNarration)
  },
} satisfies Theme

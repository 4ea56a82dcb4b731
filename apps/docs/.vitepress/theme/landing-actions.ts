import { defineComponent, h } from 'vue'

const ACTIONS = [
  { text: 'Start', href: '/start/', kind: 'action brand' },
  { text: 'Concepts', href: '/concepts', kind: 'action' },
  { text: 'Move here', href: '/migrate/openai', kind: 'action' },
]

/** The buttons of the landing page. They are a component, so that the narration does not read them. */
export const LandingActions = defineComponent(
  () => () =>
    h(
      'p',
      { class: 'landing-actions' },
      ACTIONS.map(({ text, href, kind }) => h('a', { class: kind, href }, text)),
    ),
)

import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { LandingActions } from './landing-actions.ts'
import { PageNarration } from './page-narration.ts'
import './site.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LandingActions', LandingActions)
    app.component('PageNarration', PageNarration)
  },
} satisfies Theme

import DefaultTheme from 'vitepress/theme'
import { h } from 'vue'
import PageNarration from './PageNarration.vue'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-before': () => h(PageNarration) }),
}

import type { Attributes } from './attributes.ts'
import type { ReadHtmlOptions } from '../options.ts'
import { SILENT } from './elements.ts'

const HIDING_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i
/** Vue displays the content of such a `<template>`: it fills a slot, or is repeated or chosen. */
const DISPLAYED_TEMPLATE = /^(?:#|v-(?:slot|if|else|else-if|for|show)(?:[:.]|$))/
const NOTE_MARK = /\b(?:footnote-ref|footnote-backref|footnoteref|reference|data-footnote-backref)\b/
const NOTES = /\bfootnotes\b/

/** Whether an element is not spoken. */
export function isSilent(name: string, attributes: Attributes, options: ReadHtmlOptions): boolean {
  if (SILENT.has(name)) return name !== 'template' || !Object.keys(attributes).some(isTemplateDirective)
  if (attributes['hidden'] !== undefined || attributes['aria-hidden'] === 'true') return true
  if (HIDING_STYLE.test(attributes['style'] ?? '')) return true
  switch (name) {
    case 'dialog':
      return attributes['open'] === undefined
    case 'pre':
      return options.codeBlocks !== 'read'
    case 'code':
      return options.inlineCode === 'skip'
    case 'table':
      return options.tables === 'skip'
    case 'a':
    case 'sup':
      return isNoteMark(attributes)
    case 'section':
    case 'div':
      return options.footnotes !== 'read' && isNotes(attributes)
    default:
      return false
  }
}

/** Whether an attribute makes Vue display the content of a `<template>`. */
export function isTemplateDirective(attribute: string): boolean {
  return DISPLAYED_TEMPLATE.test(attribute)
}

function isNoteMark(attributes: Attributes): boolean {
  return /^doc-(?:noteref|backlink)$/.test(attributes['role'] ?? '') || NOTE_MARK.test(attributes['class'] ?? '')
}

function isNotes(attributes: Attributes): boolean {
  return attributes['role'] === 'doc-endnotes' || NOTES.test(attributes['class'] ?? '')
}

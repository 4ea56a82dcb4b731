/** A warning of this provider. Every version of the AI SDK from 6 has this form. */
export type Warning<Feature extends string = string> =
  | { type: 'unsupported'; feature: Feature; details: string }
  | { type: 'compatibility'; feature: Feature; details: string }

/** The setting has no effect. */
export function unsupported<Feature extends string>(feature: Feature, details: string): Warning<Feature> {
  return { type: 'unsupported', feature, details }
}

/** The setting takes effect in another way than it says. */
export function compatibility<Feature extends string>(feature: Feature, details: string): Warning<Feature> {
  return { type: 'compatibility', feature, details }
}

/** A warning in the form of AI SDK 5. */
export type WarningV2<Setting extends string> =
  | { type: 'unsupported-setting'; setting: Setting; details: string }
  | { type: 'other'; message: string }

/** Converts a warning for AI SDK 5. */
export function warningV2<Setting extends string>(warning: Warning<Setting>): WarningV2<Setting> {
  return warning.type === 'unsupported'
    ? { type: 'unsupported-setting', setting: warning.feature, details: warning.details }
    : { type: 'other', message: warning.details }
}

/** Hosts and paths of images that show a number or a build's state. */
const BADGE =
  /\bbadges?\b|(?:shields\.io|badgen\.net|fury\.io|travis-ci\.(?:org|com)|circleci\.com|coveralls\.io|nodei\.co|snyk\.io|david-dm\.org|isitmaintained\.com|packagephobia\.(?:com|now\.sh)|opencollective\.com|contrib\.rocks|star-history\.com|app\.netlify\.com|saucelabs\.com|ci\.appveyor\.com|codecov\.io|codeclimate\.com)(?:\/|$)|\/status(?:-images)?\/[^/]+\.(?:svg|png)/i
/** Longest address to check. A `data:` address may have megabytes. */
const ADDRESS_MAX = 500

/** Whether an image is a badge, by its address. */
export function isBadge(address: string): boolean {
  return BADGE.test(address.slice(0, ADDRESS_MAX))
}

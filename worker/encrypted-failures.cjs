const { DefaultFailureConverter } = require('@temporalio/common');

/** Writes the messages and stacks of failures as payloads, which the codec encrypts. CommonJS, because the SDK loads it with require. */
exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });

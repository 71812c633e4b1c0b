// Made by `bun run generate`. Do not edit.

export const schemas: Readonly<Record<string, object>> = {
  "contract": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "id": {
        "type": "string",
        "description": "a string that is not blank",
        "pattern": "[^\\t\\n\\v\\f\\r ]"
      },
      "task": {
        "type": "string",
        "description": "a string that is not blank",
        "pattern": "[^\\t\\n\\v\\f\\r ]"
      },
      "acceptance": {
        "type": "object",
        "description": "a mapping",
        "properties": {
          "forbidden_files": {
            "type": "array",
            "description": "a list of non-empty strings",
            "items": {
              "type": "string",
              "description": "a non-empty string",
              "minLength": 1
            }
          },
          "forbidden_patterns": {
            "type": "array",
            "description": "a list of forbidden patterns",
            "items": {
              "type": "object",
              "properties": {
                "description": {
                  "type": "string",
                  "description": "a non-empty string",
                  "minLength": 1
                },
                "pattern": {
                  "type": "string",
                  "description": "a non-empty string",
                  "minLength": 1
                },
                "severity": {
                  "anyOf": [
                    {
                      "const": "disqualifier",
                      "description": "\"disqualifier\" or \"warning\""
                    },
                    {
                      "const": "warning",
                      "description": "\"disqualifier\" or \"warning\""
                    }
                  ],
                  "description": "\"disqualifier\" or \"warning\""
                },
                "files": {
                  "type": "array",
                  "description": "a list of non-empty strings",
                  "items": {
                    "type": "string",
                    "description": "a non-empty string",
                    "minLength": 1
                  }
                }
              },
              "required": [
                "description",
                "pattern",
                "severity"
              ],
              "additionalProperties": false
            }
          },
          "max_deps_added": {
            "type": "integer",
            "description": "int >= 0 (not bool)",
            "minimum": 0
          },
          "pure_design": {
            "type": "boolean",
            "description": "true or false"
          },
          "required_files": {
            "type": "array",
            "description": "a list of non-empty strings",
            "items": {
              "type": "string",
              "description": "a non-empty string",
              "minLength": 1
            }
          },
          "verification_commands": {
            "type": "array",
            "description": "a list of commands",
            "items": {
              "type": "object",
              "properties": {
                "argv": {
                  "type": "array",
                  "description": "a non-empty list of strings",
                  "minItems": 1,
                  "items": {
                    "type": "string"
                  }
                },
                "cmd": {
                  "type": "string",
                  "description": "a string that is not blank",
                  "pattern": "\\S"
                },
                "contract_refs": {
                  "type": "array",
                  "description": "a list of non-empty strings",
                  "items": {
                    "type": "string",
                    "description": "a non-empty string",
                    "minLength": 1
                  }
                },
                "exit_code": {
                  "type": "integer",
                  "description": "int (not bool)"
                },
                "stdout_contains": {
                  "type": "array",
                  "description": "a list of non-empty strings",
                  "items": {
                    "type": "string",
                    "description": "a non-empty string",
                    "minLength": 1
                  }
                },
                "stdout_not_contains": {
                  "type": "array",
                  "description": "a list of non-empty strings",
                  "items": {
                    "type": "string",
                    "description": "a non-empty string",
                    "minLength": 1
                  }
                },
                "timeout_sec": {
                  "type": "integer",
                  "description": "int from 1 to 600 (not bool)",
                  "maximum": 600,
                  "minimum": 1
                }
              },
              "additionalProperties": false
            }
          }
        },
        "additionalProperties": false
      },
      "test_command": {
        "type": "array",
        "description": "a non-empty list of non-empty strings",
        "minItems": 1,
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      },
      "writable_paths": {
        "type": "array",
        "description": "a list of non-empty strings",
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      }
    },
    "required": [
      "id",
      "task"
    ]
  },
  "expected": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "forbidden_files": {
        "type": "array",
        "description": "a list of non-empty strings",
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      },
      "forbidden_patterns": {
        "type": "array",
        "description": "a list of forbidden patterns",
        "items": {
          "type": "object",
          "properties": {
            "description": {
              "type": "string",
              "description": "a non-empty string",
              "minLength": 1
            },
            "pattern": {
              "type": "string",
              "description": "a non-empty string",
              "minLength": 1
            },
            "severity": {
              "anyOf": [
                {
                  "const": "disqualifier",
                  "description": "\"disqualifier\" or \"warning\""
                },
                {
                  "const": "warning",
                  "description": "\"disqualifier\" or \"warning\""
                }
              ],
              "description": "\"disqualifier\" or \"warning\""
            },
            "files": {
              "type": "array",
              "description": "a list of non-empty strings",
              "items": {
                "type": "string",
                "description": "a non-empty string",
                "minLength": 1
              }
            }
          },
          "required": [
            "description",
            "pattern",
            "severity"
          ],
          "additionalProperties": false
        }
      },
      "max_deps_added": {
        "type": "integer",
        "description": "int >= 0 (not bool)",
        "minimum": 0
      },
      "pure_design": {
        "type": "boolean",
        "description": "true or false"
      },
      "required_files": {
        "type": "array",
        "description": "a list of non-empty strings",
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      },
      "verification_commands": {
        "type": "array",
        "description": "a list of commands",
        "items": {
          "type": "object",
          "properties": {
            "argv": {
              "type": "array",
              "description": "a non-empty list of strings",
              "minItems": 1,
              "items": {
                "type": "string"
              }
            },
            "cmd": {
              "type": "string",
              "description": "a string that is not blank",
              "pattern": "\\S"
            },
            "contract_refs": {
              "type": "array",
              "description": "a list of non-empty strings",
              "items": {
                "type": "string",
                "description": "a non-empty string",
                "minLength": 1
              }
            },
            "exit_code": {
              "type": "integer",
              "description": "int (not bool)"
            },
            "stdout_contains": {
              "type": "array",
              "description": "a list of non-empty strings",
              "items": {
                "type": "string",
                "description": "a non-empty string",
                "minLength": 1
              }
            },
            "stdout_not_contains": {
              "type": "array",
              "description": "a list of non-empty strings",
              "items": {
                "type": "string",
                "description": "a non-empty string",
                "minLength": 1
              }
            },
            "timeout_sec": {
              "type": "integer",
              "description": "int from 1 to 600 (not bool)",
              "maximum": 600,
              "minimum": 1
            }
          },
          "additionalProperties": false
        }
      }
    },
    "additionalProperties": false
  },
  "packet": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "allocation_base": {
        "type": "string",
        "description": "a non-empty string",
        "minLength": 1
      },
      "branch": {
        "type": "string",
        "description": "a non-empty string",
        "minLength": 1
      },
      "contract": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "sha256": {
            "type": "string",
            "description": "64 lowercase hex digits",
            "pattern": "^[0-9a-f]{64}$"
          }
        },
        "required": [
          "path",
          "sha256"
        ]
      },
      "expected": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "sha256": {
            "type": "string",
            "description": "64 lowercase hex digits",
            "pattern": "^[0-9a-f]{64}$"
          }
        },
        "required": [
          "path",
          "sha256"
        ]
      },
      "inputs_sha": {
        "type": "string",
        "description": "40 or 64 lowercase hex digits",
        "pattern": "^(?:[0-9a-f]{40}|[0-9a-f]{64})$"
      },
      "meta": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "sha256": {
            "type": "string",
            "description": "64 lowercase hex digits",
            "pattern": "^[0-9a-f]{64}$"
          }
        },
        "required": [
          "path",
          "sha256"
        ]
      },
      "requirements": {
        "type": "array",
        "description": "a list of non-empty strings",
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      },
      "review_requirements": {
        "type": "array",
        "description": "a list of non-empty strings",
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      },
      "task": {
        "type": "string",
        "description": "a string that is not blank",
        "pattern": "\\S"
      },
      "worktree": {
        "type": "string",
        "description": "a non-empty string",
        "minLength": 1
      }
    },
    "required": [
      "allocation_base",
      "branch",
      "contract",
      "expected",
      "inputs_sha",
      "meta",
      "requirements",
      "review_requirements",
      "task",
      "worktree"
    ]
  },
  "submission": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "schema_version": {
        "const": 1,
        "description": "the integer 1"
      },
      "source_sha": {
        "type": "string",
        "description": "a string"
      },
      "task": {
        "type": "string",
        "description": "a string"
      },
      "assumptions": {
        "type": "array",
        "description": "a list of strings",
        "items": {
          "type": "string"
        }
      },
      "blockers": {
        "type": "array",
        "description": "a list of blockers",
        "items": {
          "type": "object",
          "properties": {
            "detail": {
              "type": "string",
              "description": "a string that is not blank",
              "pattern": "\\S"
            },
            "kind": {
              "anyOf": [
                {
                  "const": "blocked-infrastructure",
                  "description": "\"failed\", \"needs-review\" or \"blocked-infrastructure\""
                },
                {
                  "const": "failed",
                  "description": "\"failed\", \"needs-review\" or \"blocked-infrastructure\""
                },
                {
                  "const": "needs-review",
                  "description": "\"failed\", \"needs-review\" or \"blocked-infrastructure\""
                }
              ],
              "description": "\"failed\", \"needs-review\" or \"blocked-infrastructure\""
            }
          },
          "required": [
            "detail",
            "kind"
          ]
        }
      },
      "cleanup": {},
      "findings": {},
      "handoff": {},
      "reviews": {
        "type": "array",
        "description": "a list of non-empty strings",
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      },
      "runner_results": {
        "type": "array",
        "description": "a list of non-empty strings",
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      },
      "summary": {}
    },
    "required": [
      "schema_version",
      "source_sha",
      "task"
    ],
    "additionalProperties": false
  },
  "review": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "contract_sha256": {
        "type": "string",
        "description": "a string"
      },
      "engine": {
        "type": "string",
        "description": "a string that is not blank",
        "pattern": "\\S"
      },
      "expected_sha256": {
        "type": "string",
        "description": "a string"
      },
      "findings": {
        "type": "array",
        "description": "a list of findings",
        "items": {
          "type": "object",
          "properties": {
            "binding": {
              "type": "boolean",
              "description": "true or false"
            },
            "disposition": {
              "anyOf": [
                {
                  "const": "open",
                  "description": "\"open\", \"resolved\" or \"rejected\""
                },
                {
                  "const": "rejected",
                  "description": "\"open\", \"resolved\" or \"rejected\""
                },
                {
                  "const": "resolved",
                  "description": "\"open\", \"resolved\" or \"rejected\""
                }
              ],
              "description": "\"open\", \"resolved\" or \"rejected\""
            },
            "id": {
              "type": "string",
              "description": "a string"
            },
            "reason": {}
          },
          "required": [
            "binding",
            "disposition",
            "id"
          ]
        }
      },
      "kind": {
        "const": "devlyn-review",
        "description": "\"devlyn-review\""
      },
      "model": {
        "type": "string",
        "description": "a string that is not blank",
        "pattern": "\\S"
      },
      "requirements": {
        "type": "array",
        "description": "a list of non-empty strings",
        "items": {
          "type": "string",
          "description": "a non-empty string",
          "minLength": 1
        }
      },
      "schema_version": {
        "const": 1,
        "description": "the integer 1"
      },
      "source_sha": {
        "type": "string",
        "description": "a string"
      },
      "task": {
        "type": "string",
        "description": "a string"
      }
    },
    "required": [
      "contract_sha256",
      "engine",
      "expected_sha256",
      "findings",
      "kind",
      "model",
      "requirements",
      "schema_version",
      "source_sha",
      "task"
    ]
  },
  "receipt": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": [
      "version",
      "outcome",
      "code",
      "message",
      "contract_id",
      "repository",
      "base_commit",
      "candidate_ref",
      "candidate_commit",
      "changed_paths",
      "command_exit",
      "worktree_path",
      "source_drift",
      "verification",
      "engine_version",
      "duration_ms"
    ],
    "additionalProperties": false,
    "properties": {
      "version": {
        "const": 1
      },
      "outcome": {
        "enum": [
          "candidate-created",
          "discarded",
          "refused"
        ]
      },
      "code": {
        "enum": [
          "BASE_UNAVAILABLE",
          "CANDIDATE_EXISTS",
          "CLEANUP_FAILED",
          "COMMAND_CHANGED_GIT_STATE",
          "COMMAND_CHANGED_HEAD",
          "COMMAND_FAILED",
          "COMMAND_TIMEOUT",
          "COMMAND_UNAVAILABLE",
          "CONTRACT_INVALID_YAML",
          "CONTRACT_MISSING_FIELD",
          "CONTRACT_UNREADABLE",
          "GIT_FAILED",
          "INTERRUPTED",
          "INVALID_CANDIDATE_ID",
          "NESTED_REPOSITORY",
          "NO_CHANGES",
          "OK",
          "PATH_UNDECLARED",
          "REPO_DIRTY",
          "REPO_NOT_GIT",
          "REPO_UNAVAILABLE",
          "VERIFICATION_FAILED"
        ]
      },
      "message": {
        "type": "string"
      },
      "contract_id": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "repository": {
        "type": "string"
      },
      "base_commit": {
        "anyOf": [
          {
            "type": "string",
            "pattern": "^(?:[0-9a-f]{40}|[0-9a-f]{64})$"
          },
          {
            "type": "null"
          }
        ]
      },
      "candidate_ref": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "candidate_commit": {
        "anyOf": [
          {
            "type": "string",
            "pattern": "^(?:[0-9a-f]{40}|[0-9a-f]{64})$"
          },
          {
            "type": "null"
          }
        ]
      },
      "changed_paths": {
        "anyOf": [
          {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          {
            "type": "null"
          }
        ]
      },
      "command_exit": {
        "anyOf": [
          {
            "type": "integer"
          },
          {
            "type": "null"
          }
        ]
      },
      "worktree_path": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "source_drift": {
        "anyOf": [
          {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          {
            "type": "null"
          }
        ]
      },
      "verification": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "commands": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {
                    "command": {
                      "anyOf": [
                        {
                          "type": "object",
                          "properties": {
                            "argv": {
                              "type": "array",
                              "items": {
                                "type": "string"
                              }
                            }
                          },
                          "required": [
                            "argv"
                          ],
                          "additionalProperties": false
                        },
                        {
                          "type": "object",
                          "properties": {
                            "cmd": {
                              "type": "string"
                            }
                          },
                          "required": [
                            "cmd"
                          ],
                          "additionalProperties": false
                        }
                      ]
                    },
                    "contract_refs": {
                      "type": "array",
                      "items": {
                        "type": "string"
                      }
                    },
                    "index": {
                      "type": "integer",
                      "minimum": 0
                    },
                    "outcome": {
                      "anyOf": [
                        {
                          "type": "object",
                          "properties": {
                            "error": {
                              "type": "string"
                            },
                            "kind": {
                              "const": "spawn_error"
                            }
                          },
                          "required": [
                            "error",
                            "kind"
                          ],
                          "additionalProperties": false
                        },
                        {
                          "type": "object",
                          "properties": {
                            "exit_code": {
                              "type": "integer"
                            },
                            "kind": {
                              "const": "exit"
                            }
                          },
                          "required": [
                            "exit_code",
                            "kind"
                          ],
                          "additionalProperties": false
                        },
                        {
                          "type": "object",
                          "properties": {
                            "kind": {
                              "const": "signal"
                            },
                            "signal": {
                              "type": "integer",
                              "minimum": 0
                            }
                          },
                          "required": [
                            "kind",
                            "signal"
                          ],
                          "additionalProperties": false
                        },
                        {
                          "type": "object",
                          "properties": {
                            "kind": {
                              "const": "timeout"
                            },
                            "timeout_sec": {
                              "type": "integer",
                              "minimum": 0
                            }
                          },
                          "required": [
                            "kind",
                            "timeout_sec"
                          ],
                          "additionalProperties": false
                        }
                      ]
                    },
                    "passed": {
                      "type": "boolean"
                    },
                    "reason": {
                      "anyOf": [
                        {
                          "type": "string"
                        },
                        {
                          "type": "null"
                        }
                      ]
                    },
                    "stderr": {
                      "type": "object",
                      "properties": {
                        "bytes": {
                          "type": "integer",
                          "minimum": 0
                        },
                        "path": {
                          "type": "string"
                        },
                        "sha256": {
                          "type": "string",
                          "pattern": "^[0-9a-f]{64}$"
                        }
                      },
                      "required": [
                        "bytes",
                        "path",
                        "sha256"
                      ],
                      "additionalProperties": false
                    },
                    "stdout": {
                      "type": "object",
                      "properties": {
                        "bytes": {
                          "type": "integer",
                          "minimum": 0
                        },
                        "path": {
                          "type": "string"
                        },
                        "sha256": {
                          "type": "string",
                          "pattern": "^[0-9a-f]{64}$"
                        }
                      },
                      "required": [
                        "bytes",
                        "path",
                        "sha256"
                      ],
                      "additionalProperties": false
                    },
                    "reused_from": {
                      "type": "string"
                    }
                  },
                  "required": [
                    "command",
                    "contract_refs",
                    "index",
                    "outcome",
                    "passed",
                    "reason",
                    "stderr",
                    "stdout"
                  ],
                  "additionalProperties": false
                }
              },
              "guards": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {
                    "blocking": {
                      "type": "boolean"
                    },
                    "passed": {
                      "type": "boolean"
                    },
                    "rule": {
                      "type": "string"
                    },
                    "subject": {
                      "type": "string"
                    }
                  },
                  "required": [
                    "blocking",
                    "passed",
                    "rule",
                    "subject"
                  ],
                  "additionalProperties": false
                }
              },
              "passed": {
                "type": "boolean"
              },
              "reasons": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              }
            },
            "required": [
              "commands",
              "guards",
              "passed",
              "reasons"
            ],
            "additionalProperties": false
          },
          {
            "type": "null"
          }
        ]
      },
      "engine_version": {
        "type": "string"
      },
      "duration_ms": {
        "type": "integer",
        "minimum": 0
      }
    },
    "anyOf": [
      {
        "properties": {
          "outcome": {
            "const": "candidate-created"
          },
          "code": {
            "enum": [
              "OK"
            ]
          }
        }
      },
      {
        "properties": {
          "outcome": {
            "const": "refused"
          },
          "code": {
            "enum": [
              "CONTRACT_UNREADABLE",
              "CONTRACT_INVALID_YAML",
              "CONTRACT_MISSING_FIELD",
              "REPO_UNAVAILABLE",
              "REPO_NOT_GIT",
              "REPO_DIRTY",
              "BASE_UNAVAILABLE",
              "INVALID_CANDIDATE_ID",
              "CANDIDATE_EXISTS",
              "COMMAND_UNAVAILABLE",
              "GIT_FAILED",
              "CLEANUP_FAILED"
            ]
          }
        }
      },
      {
        "properties": {
          "outcome": {
            "const": "discarded"
          },
          "code": {
            "enum": [
              "COMMAND_TIMEOUT",
              "COMMAND_FAILED",
              "COMMAND_CHANGED_HEAD",
              "COMMAND_CHANGED_GIT_STATE",
              "NO_CHANGES",
              "PATH_UNDECLARED",
              "NESTED_REPOSITORY",
              "VERIFICATION_FAILED",
              "INTERRUPTED"
            ]
          }
        }
      }
    ]
  },
  "protocol": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "anyOf": [
      {
        "$ref": "#/$defs/Request"
      },
      {
        "$ref": "#/$defs/Response"
      }
    ],
    "$defs": {
      "Request": {
        "anyOf": [
          {
            "$ref": "#/$defs/CheckRequest"
          },
          {
            "$ref": "#/$defs/ReplaceRequest"
          },
          {
            "$ref": "#/$defs/SingleReplaceRequest"
          },
          {
            "$ref": "#/$defs/TestRequest"
          }
        ]
      },
      "Response": {
        "anyOf": [
          {
            "$ref": "#/$defs/CheckResponse"
          },
          {
            "$ref": "#/$defs/ReplaceResponse"
          },
          {
            "$ref": "#/$defs/TestResponse"
          }
        ]
      },
      "CheckRequest": {
        "type": "object",
        "properties": {
          "contract": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "operation": {
            "const": "check"
          },
          "repo": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "version": {
            "const": 1,
            "description": "the number 1"
          }
        },
        "required": [
          "contract",
          "operation",
          "repo",
          "version"
        ]
      },
      "ReplaceRequest": {
        "type": "object",
        "properties": {
          "contract": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "edits": {
            "type": "array",
            "description": "a list of 1 to 16 edits",
            "maxItems": 16,
            "minItems": 1,
            "items": {
              "type": "object",
              "properties": {
                "new_text": {
                  "type": "string",
                  "description": "a string"
                },
                "old_text": {
                  "type": "string",
                  "description": "a non-empty string",
                  "minLength": 1
                }
              },
              "required": [
                "new_text",
                "old_text"
              ]
            }
          },
          "expected_sha256": {
            "anyOf": [
              {
                "type": "string",
                "description": "64 lowercase hex digits or null",
                "pattern": "^[0-9a-f]{64}$"
              },
              {
                "type": "null",
                "description": "64 lowercase hex digits or null"
              }
            ],
            "description": "64 lowercase hex digits or null"
          },
          "operation": {
            "const": "replace"
          },
          "path": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "repo": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "version": {
            "const": 1,
            "description": "the number 1"
          }
        },
        "required": [
          "contract",
          "edits",
          "expected_sha256",
          "operation",
          "path",
          "repo",
          "version"
        ]
      },
      "SingleReplaceRequest": {
        "type": "object",
        "properties": {
          "contract": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "expected_sha256": {
            "anyOf": [
              {
                "type": "string",
                "description": "64 lowercase hex digits or null",
                "pattern": "^[0-9a-f]{64}$"
              },
              {
                "type": "null",
                "description": "64 lowercase hex digits or null"
              }
            ],
            "description": "64 lowercase hex digits or null"
          },
          "new_text": {
            "type": "string",
            "description": "a string"
          },
          "old_text": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "operation": {
            "const": "replace"
          },
          "path": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "repo": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "version": {
            "const": 1,
            "description": "the number 1"
          }
        },
        "required": [
          "contract",
          "expected_sha256",
          "new_text",
          "old_text",
          "operation",
          "path",
          "repo",
          "version"
        ]
      },
      "TestRequest": {
        "type": "object",
        "properties": {
          "contract": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "operation": {
            "const": "test"
          },
          "repo": {
            "type": "string",
            "description": "a non-empty string",
            "minLength": 1
          },
          "version": {
            "const": 1,
            "description": "the number 1"
          },
          "command": {
            "type": "string",
            "description": "a string"
          }
        },
        "required": [
          "contract",
          "operation",
          "repo",
          "version"
        ]
      },
      "CheckResponse": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "code": {
                "enum": [
                  "CONTRACT_INVALID_YAML",
                  "CONTRACT_MISSING_FIELD",
                  "CONTRACT_UNREADABLE",
                  "REPO_UNAVAILABLE"
                ]
              },
              "message": {
                "type": "string",
                "minLength": 1
              },
              "ok": {
                "const": false
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "version"
            ],
            "additionalProperties": false
          },
          {
            "type": "object",
            "properties": {
              "code": {
                "const": "INVALID_REQUEST"
              },
              "message": {
                "type": "string",
                "minLength": 1
              },
              "ok": {
                "const": false
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "version"
            ],
            "additionalProperties": false
          },
          {
            "type": "object",
            "properties": {
              "code": {
                "const": "OK"
              },
              "message": {
                "const": ""
              },
              "ok": {
                "const": true
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "version"
            ],
            "additionalProperties": false
          }
        ]
      },
      "ReplaceResponse": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "code": {
                "enum": [
                  "ANCHOR_ALREADY_APPLIED",
                  "ANCHOR_AMBIGUOUS",
                  "ANCHOR_MISSING",
                  "CONTRACT_INVALID_YAML",
                  "CONTRACT_MISSING_FIELD",
                  "CONTRACT_UNREADABLE",
                  "MUTATION_FAILED",
                  "NO_CHANGE_REQUESTED",
                  "PATH_UNDECLARED",
                  "REPO_UNAVAILABLE",
                  "REVISION_STALE",
                  "REVISION_UNAVAILABLE"
                ]
              },
              "message": {
                "type": "string",
                "minLength": 1
              },
              "ok": {
                "const": false
              },
              "result": {
                "type": "null"
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "result",
              "version"
            ],
            "additionalProperties": false
          },
          {
            "type": "object",
            "properties": {
              "code": {
                "const": "INVALID_REQUEST"
              },
              "message": {
                "type": "string",
                "minLength": 1
              },
              "ok": {
                "const": false
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "version"
            ],
            "additionalProperties": false
          },
          {
            "type": "object",
            "properties": {
              "code": {
                "const": "OK"
              },
              "message": {
                "const": ""
              },
              "ok": {
                "const": true
              },
              "result": {
                "type": "object",
                "properties": {
                  "match": {
                    "enum": [
                      "crlf",
                      "exact"
                    ]
                  },
                  "path": {
                    "type": "string",
                    "minLength": 1
                  },
                  "region": {
                    "type": "string"
                  },
                  "sha256": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{64}$"
                  }
                },
                "required": [
                  "match",
                  "path",
                  "region",
                  "sha256"
                ],
                "additionalProperties": false
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "result",
              "version"
            ],
            "additionalProperties": false
          }
        ]
      },
      "TestResponse": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "code": {
                "enum": [
                  "CONTRACT_INVALID_YAML",
                  "CONTRACT_MISSING_FIELD",
                  "CONTRACT_UNREADABLE",
                  "REPO_UNAVAILABLE",
                  "TEST_COMMAND_NOT_ALLOWED",
                  "TEST_COMMAND_UNAVAILABLE"
                ]
              },
              "message": {
                "type": "string",
                "minLength": 1
              },
              "ok": {
                "const": false
              },
              "result": {
                "type": "null"
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "result",
              "version"
            ],
            "additionalProperties": false
          },
          {
            "type": "object",
            "properties": {
              "code": {
                "const": "INVALID_REQUEST"
              },
              "message": {
                "type": "string",
                "minLength": 1
              },
              "ok": {
                "const": false
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "version"
            ],
            "additionalProperties": false
          },
          {
            "type": "object",
            "properties": {
              "code": {
                "const": "OK"
              },
              "message": {
                "const": ""
              },
              "ok": {
                "const": true
              },
              "result": {
                "type": "object",
                "properties": {
                  "exit_code": {
                    "anyOf": [
                      {
                        "type": "integer"
                      },
                      {
                        "type": "null"
                      }
                    ]
                  },
                  "output": {
                    "type": "string"
                  },
                  "timed_out": {
                    "type": "boolean"
                  },
                  "truncated": {
                    "type": "boolean"
                  }
                },
                "required": [
                  "exit_code",
                  "output",
                  "timed_out",
                  "truncated"
                ],
                "additionalProperties": false
              },
              "version": {
                "const": 1
              }
            },
            "required": [
              "code",
              "message",
              "ok",
              "result",
              "version"
            ],
            "additionalProperties": false
          }
        ]
      }
    }
  }
};

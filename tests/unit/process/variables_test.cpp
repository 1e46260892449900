#include "process/variables.h"

#include <gtest/gtest.h>

namespace mpsgate {
namespace {

const Variables kHostile = {{"PATH", "/home/me/bin:/usr/bin"},
                            {"HOME", "/home/me"},
                            {"GITHUB_TOKEN", "ghp_secret"},
                            {"AWS_SECRET_ACCESS_KEY", "secret"},
                            {"LAB_TOKEN", "secret"},
                            {"HF_TOKEN", "secret"},
                            {"LD_PRELOAD", "/evil.so"},
                            {"LD_LIBRARY_PATH", "/evil"},
                            {"DYLD_INSERT_LIBRARIES", "/evil.dylib"},
                            {"PYTHONPATH", "/evil"},
                            {"PYTHONSTARTUP", "/evil.py"},
                            {"CUDA_VISIBLE_DEVICES", "0"},
                            {"PYTORCH_ENABLE_MPS_FALLBACK", "1"},
                            {"PIP_INDEX_URL", "https://me:secret@index.example/simple"},
                            {"PIP_CERT", "/ca.pem"},
                            {"UV_INDEX_URL", "https://index.example"},
                            {"https_proxy", "http://me:secret@proxy.example:3128"},
                            {"HTTPS_PROXY", "http://proxy.example:3128"},
                            {"SSL_CERT_FILE", "/ca.pem"},
                            {"SSH_AUTH_SOCK", "/agent"},
                            {"OPENBLAS_CORETYPE", "Haswell"},
                            {"RUNNER_TRACKING_ID", "github_1"}};

std::string names(const Variables& variables) {
  std::string text;
  for (const auto& [name, value] : variables)
    text += name + " ";
  return text;
}

TEST(Variables, TheLabSeesExactlyThese) {
  const auto lab = lab_variables(kHostile, "/run/home");
  EXPECT_EQ(names(lab),
            "HF_HOME HOME LANG LC_ALL MPLBACKEND MPLCONFIGDIR NUMBA_CACHE_DIR OPENBLAS_CORETYPE PATH "
            "PYTHONDONTWRITEBYTECODE "
            "PYTHONFAULTHANDLER PYTHONHASHSEED PYTHONNOUSERSITE PYTHONUNBUFFERED RUNNER_TRACKING_ID TERM "
            "TMPDIR TORCH_HOME TZ "
            "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME ");
  EXPECT_EQ(lab.at("HOME"), "/run/home");
  EXPECT_EQ(lab.at("TMPDIR"), "/run/home/tmp");
  EXPECT_EQ(lab.at("PATH").find("/home/me"), std::string::npos);
  for (const auto& [name, value] : lab)
    EXPECT_EQ(value.find("secret"), std::string::npos) << name;
}

TEST(Variables, InstallersSeeTheMachinesSettingsButNoToken) {
  const auto installer = installer_variables(kHostile, "/run/home");
  for (const char* name :
       {"PIP_INDEX_URL", "PIP_CERT", "UV_INDEX_URL", "https_proxy", "HTTPS_PROXY", "SSL_CERT_FILE"}) {
    EXPECT_TRUE(installer.contains(name)) << name;
  }
  EXPECT_EQ(installer.at("HOME"), "/home/me");
  for (const char* name : {"GITHUB_TOKEN", "LAB_TOKEN", "LD_PRELOAD", "PYTHONPATH", "SSH_AUTH_SOCK"}) {
    EXPECT_FALSE(installer.contains(name)) << name;
  }
}

TEST(Variables, FetchSeesNamedCredentialsOnly) {
  const auto fetch = fetch_variables(kHostile, {"LAB_TOKEN", ""});
  EXPECT_EQ(fetch.at("LAB_TOKEN"), "secret");
  EXPECT_TRUE(fetch.contains("SSH_AUTH_SOCK"));
  for (const char* name : {"GITHUB_TOKEN", "HF_TOKEN", "LD_PRELOAD", "PIP_INDEX_URL"})
    EXPECT_FALSE(fetch.contains(name)) << name;
}

TEST(Variables, WhatIsWrittenDownHidesCredentials) {
  const auto safe = without_credentials(kHostile);
  for (const auto& [name, value] : safe)
    EXPECT_EQ(value.find("secret"), std::string::npos) << name;
  EXPECT_EQ(safe.at("PIP_INDEX_URL"), "https://***@index.example/simple");
  EXPECT_EQ(safe.at("SSH_AUTH_SOCK"), "/agent");
}

TEST(Variables, CredentialsInUrlsAnywhere) {
  EXPECT_EQ(hide_credentials("https://me:pw@host/a@b"), "https://***@host/a@b");
  EXPECT_EQ(hide_credentials("see https://t0k3n@host and http://x:y@z:1/"),
            "see https://***@host and http://***@z:1/");
  EXPECT_EQ(hide_credentials("https://host/path?mail=a@b"), "https://host/path?mail=a@b");
  EXPECT_EQ(hide_credentials("https://a@b@host/"), "https://***@host/");
  EXPECT_EQ(hide_credentials("nothing here"), "nothing here");
  EXPECT_EQ(hide_credentials("ends https://"), "ends https://");
}

}  // namespace
}  // namespace mpsgate
